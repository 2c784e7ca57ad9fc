// What a program in the Python console may use.

/** Without the time that it waits for input. */
export const MAX_PROGRAM_S = 60
export const MAX_MEMORY_MB = 512
export const MAX_OUTPUT_BYTES = 500_000
/** Pictures, as base64. */
export const MAX_PICTURES_BYTES = 20_000_000
