// Passages of a document as its reader sees it: what a comment remembers of one, and where it is now.
import type { Node } from 'prosemirror-model'
import type { CommentAnchor } from '../../api/generated'
import { findQuote } from '../suggestions/anchors'

/** Positions in the document. */
export type Passage = { readonly from: number; readonly to: number }
/** `places`: the position in the document of each character of `text`. */
type ShownText = { readonly text: string; readonly places: readonly number[] }

/** As many characters as the server takes. */
const MAX_QUOTE = 2000
const MAX_CONTEXT = 40
/** A passage that was written anew is found between the words around it, unless it grew by more than this. */
const MAX_GROWTH = 200

export function shownText(doc: Node): ShownText {
  let text = ''
  const places: number[] = []
  const add = (characters: string, position: number) => {
    for (let index = 0; index < characters.length; index++) places.push(position + index)
    text += characters
  }
  doc.descendants((node, position) => {
    if (node.isText) add(node.text ?? '', position)
    else if (node.isLeaf || (node.isTextblock && text)) add('\n', position)
  })
  return { text, places }
}

/** Without halves of characters at its ends, which the server refuses. */
const whole = (text: string): string => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')

/** What a comment remembers of the words between two positions. Null: there are none. */
export function anchorOf(doc: Node, { from, to }: Passage): CommentAnchor | null {
  const { text, places } = shownText(doc)
  const at = (position: number) => places.findLastIndex((place) => place < position) + 1
  const words = text.slice(at(from), at(to))
  const start = at(from) + words.length - words.trimStart().length
  const quote = whole(words.trim().slice(0, MAX_QUOTE))
  if (!quote) return null
  const end = start + quote.length
  return { quote, prefix: whole(text.slice(Math.max(0, start - MAX_CONTEXT), start)), suffix: whole(text.slice(end, end + MAX_CONTEXT)), start }
}

/** What stands now between the words that were around the quote. Null: they are gone, or too far apart. */
function between(text: string, { quote, prefix, suffix }: CommentAnchor): { readonly start: number; readonly end: number } | null {
  const before = text.indexOf(prefix)
  const start = before + prefix.length
  const end = suffix ? text.indexOf(suffix, start) : text.length
  return before < 0 || end <= start || end - start > quote.length + MAX_GROWTH ? null : { start, end }
}

/** Where the passage is. Null: it is gone. */
export function findPassage({ text, places }: ShownText, anchor: CommentAnchor): Passage | null {
  const { quote, prefix, suffix, start } = anchor
  const position = findQuote(text, { original: quote, prefix, suffix, start })
  const range = position === null ? between(text, anchor) : { start: position, end: position + quote.length }
  const [first, last] = range ? [places[range.start], places[range.end - 1]] : []
  return first === undefined || last === undefined ? null : { from: first, to: last + 1 }
}
