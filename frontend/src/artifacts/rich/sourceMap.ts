// Where a place of the Markdown is in the rich document, and the other way round.
import type { Node } from 'prosemirror-model'
import { openDocument } from './richDocument'
import { isEmptyParagraph } from './writing'

/** Such a character would be far behind much markup: more likely, another one stands for it here, as `&lt;` for `<`. */
const MAX_MARKUP = 500
/** What stands before the words of a block or an item. */
const LEAD = /^(?:\s*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|>[ \t]?|(?:`{3,}|~{3,})[^\n]*\n|\|[ \t]*)+/

/** A block's source from `start`, and its characters: where each stands in the document (`places`) and in the source (`offsets`). */
type Block = { readonly start: number; readonly end: number; readonly from: number; readonly to: number; readonly places: readonly number[]; readonly offsets: readonly number[] }

export type SourceMap = {
  /** The position in the document. */
  toDocument(offset: number): number | null
  toSource(position: number): number | null
}

/** For each character of `shown`, where it stands in `source`, which has the same characters in the same order with markup between. */
export function aligned(shown: readonly string[], source: string): number[] {
  let next = LEAD.exec(source)?.[0].length ?? 0
  return shown.map((character) => {
    const found = source.indexOf(character, next)
    if (found < 0 || found - next > MAX_MARKUP) return next
    next = found + 1
    return found
  })
}

function blockOf(node: Node, from: number, source: string, start: number): Block {
  const places: number[] = []
  const shown: string[] = []
  node.descendants((part, position) => {
    for (let index = 0; index < (part.text?.length ?? 0); index++) {
      places.push(from + 1 + position + index)
      shown.push(part.text![index]!)
    }
  })
  return { start, end: start + source.length, from, to: from + node.nodeSize, places, offsets: aligned(shown, source).map((offset) => start + offset) }
}

function blocksOf(text: string, doc: Node): readonly Block[] | null {
  const { lead, pieces, lineEnd } = openDocument(text)
  const nodes: { readonly node: Node; readonly at: number }[] = []
  doc.forEach((node, at) => nodes.push({ node, at }))
  const written = nodes.filter(({ node }) => !isEmptyParagraph(node))
  if (written.length !== pieces.length || lineEnd !== '\n') return null
  let start = lead.length
  return pieces.map(({ raw, gap }, index) => {
    const block = blockOf(written[index]!.node, written[index]!.at, raw, start)
    start += raw.length + gap.length
    return block
  })
}

/** Null: the text is not the document's. */
export function sourceMap(text: string, doc: Node): SourceMap | null {
  const blocks = blocksOf(text, doc)
  if (!blocks) return null
  return {
    toDocument(offset) {
      const block = blocks.find(({ end }) => offset <= end) ?? blocks.at(-1)
      if (!block) return null
      const { places, offsets, from } = block
      const next = offsets.findIndex((place) => place >= offset)
      const before = next < 0 ? offsets.length - 1 : next - 1
      if (before < 0) return places[0] ?? from + 1
      return next < 0 || offsets[before]! + 1 === offset ? places[before]! + 1 : places[next]!
    },
    toSource(position) {
      const block = blocks.findLast(({ from }) => from < position) ?? blocks[0]
      if (!block) return null
      if (position > block.to) return block.end
      const before = block.places.findLastIndex((place) => place < position)
      return before < 0 ? (block.offsets[0] ?? block.start) : block.offsets[before]! + 1
    },
  }
}
