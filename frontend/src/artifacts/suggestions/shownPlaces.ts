// Where the reader sees a place of the source: the display has no markup, but the same letters in the same order.
import { EMPTY_DOCUMENT, updateDocument } from '../../markdown/blocks'

/** A part of the text of block `block`. Null: all of it. */
export type ShownPlace = { readonly block: number; readonly part: { readonly start: number; readonly end: number } | null }

/** The letters and digits of a text, and where each stands. */
function lettersOf(text: string): { readonly letters: string; readonly places: readonly number[] } {
  let letters = ''
  const places: number[] = []
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    letters += letter
    for (let unit = 0; unit < letter.length; unit++) places.push(index + unit)
  }
  return { letters, places }
}

function occurrences(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at)
  return places
}

/** Where `source.slice(from, to)` stands in `blockText`, what the same block shows. Null: unknown, for example a part with a link's address in it. */
function partOf(source: string, from: number, to: number, blockText: string): ShownPlace['part'] {
  const partLetters = lettersOf(source.slice(from, to)).letters
  if (!partLetters) return null
  const before = lettersOf(source.slice(0, from)).letters.length
  const turn = occurrences(lettersOf(source).letters, partLetters).indexOf(before)
  const { letters, places } = lettersOf(blockText)
  const matches = occurrences(letters, partLetters)
  const at = matches[Math.max(0, turn)] ?? matches.at(-1)
  const [first, last] = at === undefined ? [] : [places[at], places[at + partLetters.length - 1]]
  return first === undefined || last === undefined ? null : { start: first, end: last + 1 }
}

/** Where the reader sees `text.slice(from, to)`. `blockTexts`: what each block of the document shows. Empty: display and source do not match. */
export function shownPlaces(text: string, { from, to }: { readonly from: number; readonly to: number }, blockTexts: readonly string[]): readonly ShownPlace[] {
  const { blocks } = updateDocument(EMPTY_DOCUMENT, text)
  if (blocks.length !== blockTexts.length) return []
  return blocks.flatMap(({ start, raw }, block) => {
    const end = start + raw.trimEnd().length
    if (to <= start || from >= end) return []
    const isWhole = from <= start && to >= end
    return [{ block, part: isWhole ? null : partOf(raw, Math.max(0, from - start), Math.min(raw.length, to - start), blockTexts[block] ?? '') }]
  })
}
