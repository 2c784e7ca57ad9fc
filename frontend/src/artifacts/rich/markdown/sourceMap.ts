// Where a place of the Markdown is in the rich document, and the other way round.
import type { Node } from 'prosemirror-model'
import { openDocument } from './richDocument'
import { isEmptyParagraph } from './writing'

/** Such a character would be far behind much markup: more likely, another one stands for it here, as `&lt;` for `<`. */
const MAX_MARKUP = 500
/** What stands before the words of a block or an item. */
const LEAD = /^(?:\s*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|>[ \t]?|(?:`{3,}|~{3,})[^\n]*\n|\|[ \t]*)+/

/** A block that has words, with its source and what stands behind that. */
type Source = { readonly node: Node; readonly raw: string; readonly gap: string }
/** Where it stands in the document (`from`, `to`) and in the source (`start`, `end`). */
type Block = Source & { readonly start: number; readonly end: number; readonly from: number; readonly to: number }

export type SourceMap = {
  /** The position in the document. */
  toDocument(offset: number): number | null
  toSource(position: number): number | null
}

/** Where each of `characters` stands in `source`, which has the same ones in the same order with markup between. */
export function aligned(characters: readonly string[], source: string): number[] {
  let next = LEAD.exec(source)?.[0].length ?? 0
  return characters.map((character) => {
    const offset = source.indexOf(character, next)
    if (offset < 0 || offset - next > MAX_MARKUP) return next
    next = offset + 1
    return offset
  })
}

/** The characters of a block: where each stands in the document (`places`) and in the source (`offsets`). */
function charactersOf({ node, raw, from, start }: Block): { readonly places: readonly number[]; readonly offsets: readonly number[] } {
  const places: number[] = []
  const characters: string[] = []
  node.descendants((part, position) => {
    for (let index = 0; index < (part.text?.length ?? 0); index++) {
      places.push(from + 1 + position + index)
      characters.push(part.text![index]!)
    }
  })
  return { places, offsets: aligned(characters, raw).map((offset) => start + offset) }
}

type Sources = { readonly lead: string; readonly sources: readonly Source[] }

/** Of the text that was read last: a cursor moves often, and a long text is read slowly. */
let newest: Sources = { lead: '', sources: [] }

function read(text: string, nodes: readonly Node[]): Sources | null {
  const { lead, pieces, lineEnd } = openDocument(text)
  if (nodes.length !== pieces.length || lineEnd !== '\n') return null
  return { lead, sources: pieces.map(({ raw, gap }, index) => ({ node: nodes[index]!, raw, gap })) }
}

const textOf = (sources: readonly Source[]): string => sources.map(({ raw, gap }) => raw + gap).join('')

/** Reads only what stands between the blocks that were there before. Null: it is not those. */
function readBetween({ lead, sources }: Sources, text: string, nodes: readonly Node[]): Sources | null {
  const shorter = Math.min(sources.length, nodes.length)
  let first = 0
  while (first < shorter && sources[first]!.node === nodes[first]) first++
  let last = 0
  while (last < shorter - first && sources.at(-1 - last)!.node === nodes.at(-1 - last)) last++
  const [before, after] = [sources.slice(0, first), sources.slice(sources.length - last)]
  const [head, tail] = [first ? lead + textOf(before) : '', textOf(after)]
  if ((!first && !last) || head.length + tail.length > text.length || !text.startsWith(head) || !text.endsWith(tail)) return null
  const between = read(text.slice(head.length, text.length - tail.length), nodes.slice(first, nodes.length - last))
  if (!between) return null
  const neighbour = before.at(-1)
  if (!neighbour) return { lead: between.lead, sources: [...between.sources, ...after] }
  return { lead, sources: [...before.slice(0, -1), { ...neighbour, gap: neighbour.gap + between.lead }, ...between.sources, ...after] }
}

function blocksOf(text: string, doc: Node): readonly Block[] | null {
  const places: { readonly node: Node; readonly at: number }[] = []
  doc.forEach((node, at) => void (isEmptyParagraph(node) || places.push({ node, at })))
  const nodes = places.map(({ node }) => node)
  const reading = readBetween(newest, text, nodes) ?? read(text, nodes)
  if (!reading) return null
  newest = reading
  let start = reading.lead.length
  return reading.sources.map((source, index) => {
    const { node, at } = places[index]!
    const block = { ...source, start, end: start + source.raw.length, from: at, to: at + node.nodeSize }
    start = block.end + source.gap.length
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
      const { from } = block
      const { places, offsets } = charactersOf(block)
      const next = offsets.findIndex((place) => place >= offset)
      const before = next < 0 ? offsets.length - 1 : next - 1
      if (before < 0) return places[0] ?? from + 1
      return next < 0 || offsets[before]! + 1 === offset ? places[before]! + 1 : places[next]!
    },
    toSource(position) {
      const block = blocks.findLast(({ from }) => from < position) ?? blocks[0]
      if (!block) return null
      if (position > block.to) return block.end
      const { places, offsets } = charactersOf(block)
      const before = places.findLastIndex((place) => place < position)
      return before < 0 ? (offsets[0] ?? block.start) : offsets[before]! + 1
    },
  }
}
