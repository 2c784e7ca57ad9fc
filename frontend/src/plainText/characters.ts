/** Counts characters like the server: a character outside the basic multilingual plane is one, not two. */
export const countCharacters = (text: string): number => [...text].length
