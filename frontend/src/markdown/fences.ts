const FENCED = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n(?:[\s\S]*\n)? {0,3}\1[`~]*\s*$/

/** Whether a code block's source ends with the fence that closes it. */
export const isClosedFence = (raw: string): boolean => FENCED.test(raw)
