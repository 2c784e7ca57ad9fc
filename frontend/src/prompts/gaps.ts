// Saved prompts: texts that `/` inserts into the message box. Their gaps, such as {{customer}}, are filled one after the other. Pure.
export type Gap = { readonly start: number; readonly end: number }

const GAP = /\{\{[^{}\n]{1,60}\}\}/g

/** The gaps of a text, in its order. */
export const gapsOf = (text: string): readonly string[] => [...new Set(text.match(GAP))]

/** Where the next of `gaps` stands that begins at `from` or behind it, else the first; null: all are filled. */
export function nextGap(text: string, gaps: readonly string[], from: number): Gap | null {
  const open = [...text.matchAll(GAP)].flatMap(({ 0: gap, index }) => (gaps.includes(gap) ? [{ start: index, end: index + gap.length }] : []))
  return open.find(({ start }) => start >= from) ?? open[0] ?? null
}

/** What is looked for when a text asks for a prompt: what follows its slash. Null: it doesn't ask. */
export const promptQuery = (text: string): string | null => (/^\/[^/\n]{0,40}$/.test(text) ? text.slice(1).trim().toLowerCase() : null)

/** Those that have the words in their title, the ones that begin with them first. */
export function matchingPrompts<P extends { readonly title: string }>(prompts: readonly P[], query: string): readonly P[] {
  const place = ({ title }: P) => title.toLowerCase().indexOf(query)
  return prompts.filter((prompt) => place(prompt) >= 0).toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
}
