export const MAX_CHARACTERS = 2000

/** Characters as the server counts them: a character outside the basic plane is one, not two. */
export const countCharacters = (text: string): number => [...text].length
