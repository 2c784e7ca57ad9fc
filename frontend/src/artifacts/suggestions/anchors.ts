import type { SuggestionItem } from '../../api/generated'

/** Words of a text, and what stood around them. */
export type Quote = Pick<SuggestionItem, 'original' | 'prefix' | 'suffix' | 'start'>
/** A suggestion and its current position in the text. */
export type AnchoredSuggestion = { readonly suggestion: SuggestionItem; readonly from: number; readonly to: number }

const commonEnd = (a: string, b: string): number => {
  let length = 0
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++
  return length
}
const commonStart = (a: string, b: string): number => {
  let length = 0
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++
  return length
}

/** How many characters around this position match the context of the quote. */
function contextScore(text: string, from: number, { original, prefix, suffix }: Quote): number {
  const before = text.slice(Math.max(0, from - prefix.length), from)
  return commonEnd(before, prefix) + commonStart(text.slice(from + original.length), suffix)
}

function placesOf(text: string, quote: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) places.push(at)
  return places
}

/** The occurrence of the quote with the best matching context; among equals, the one nearest to its old position. Null: the quote is gone. */
export function findQuote(text: string, quote: Quote): number | null {
  if (!quote.original) return null
  const places = placesOf(text, quote.original).map((at) => ({ at, score: contextScore(text, at, quote), distance: Math.abs(at - quote.start) }))
  const [best] = places.toSorted((a, b) => b.score - a.score || a.distance - b.distance)
  return best?.at ?? null
}

export function anchorSuggestion(text: string, suggestion: SuggestionItem): AnchoredSuggestion | null {
  const from = suggestion.status === 'open' ? findQuote(text, suggestion) : null
  return from === null ? null : { suggestion, from, to: from + suggestion.original.length }
}

/** The suggestions that have a position, in text order. If two overlap, the earlier suggestion wins. */
export function anchorSuggestions(text: string, suggestions: readonly SuggestionItem[]): readonly AnchoredSuggestion[] {
  const anchors: AnchoredSuggestion[] = []
  for (const suggestion of suggestions) {
    const anchor = anchorSuggestion(text, suggestion)
    if (anchor && !anchors.some((other) => anchor.from < other.to && other.from < anchor.to)) anchors.push(anchor)
  }
  return anchors.toSorted((a, b) => a.from - b.from)
}
