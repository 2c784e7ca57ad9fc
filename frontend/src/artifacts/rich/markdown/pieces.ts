// What stays of a source when a part of it changes: every piece that is the same keeps its own text, and so do the lines between.
import type { Node } from 'prosemirror-model'

/** `gap`: what stands between this piece and the next, or after the last. `parts`: the items of a list or the rows of a table. */
export type Piece = { readonly node: Node; readonly raw: string; readonly gap: string; readonly parts?: readonly Piece[] }

/** For each new node its piece: the same one, or the changed one whose place it took. */
export type Origin = { readonly index: number; readonly same: boolean } | null

/** More comparisons than this would be felt while typing. Then the nodes between count as changed. */
const MAX_COMPARISONS = 40_000

type Placed = Pick<Piece, 'node'>
type Pair = readonly [piece: number, node: number]

/** The longest common subsequence of a range of pieces and of nodes. */
function commonPairs(pieces: readonly Placed[], nodes: readonly Node[]): Pair[] {
  const [height, width] = [pieces.length, nodes.length]
  if (height * width > MAX_COMPARISONS) return []
  const lengths = Array.from({ length: height + 1 }, () => new Array<number>(width + 1).fill(0))
  const equal = (row: number, column: number) => pieces[row]!.node.eq(nodes[column]!)
  for (let row = height - 1; row >= 0; row--) {
    for (let column = width - 1; column >= 0; column--) {
      lengths[row]![column] = equal(row, column) ? lengths[row + 1]![column + 1]! + 1 : Math.max(lengths[row + 1]![column]!, lengths[row]![column + 1]!)
    }
  }
  const pairs: Pair[] = []
  for (let row = 0, column = 0; row < height && column < width; ) {
    if (equal(row, column)) pairs.push([row++, column++])
    else if (lengths[row + 1]![column]! >= lengths[row]![column + 1]!) row++
    else column++
  }
  return pairs
}

/** Pairs what was there with what is there now. */
export function originsOf(pieces: readonly Placed[], nodes: readonly Node[]): Origin[] {
  const same = (piece: number, node: number) => pieces[piece]!.node === nodes[node] || pieces[piece]!.node.eq(nodes[node]!)
  const shorter = Math.min(pieces.length, nodes.length)
  let start = 0
  while (start < shorter && same(start, start)) start++
  let end = 0
  while (end < shorter - start && same(pieces.length - 1 - end, nodes.length - 1 - end)) end++
  const between = commonPairs(pieces.slice(start, pieces.length - end), nodes.slice(start, nodes.length - end))
  const origins: Origin[] = nodes.map((_, index) =>
    index < start ? { index, same: true } : index >= nodes.length - end ? { index: index + pieces.length - nodes.length, same: true } : null,
  )
  for (const [piece, node] of between) origins[start + node] = { index: start + piece, same: true }
  return withChanged(pieces, nodes, origins)
}

/** Gives each new node the next unused piece of its type between the pieces around it. */
function withChanged(pieces: readonly Placed[], nodes: readonly Node[], origins: readonly Origin[]): Origin[] {
  let next = 0
  return origins.map((origin, at) => {
    if (origin) {
      next = origin.index + 1
      return origin
    }
    const limit = origins.find((later, index) => index > at && later)?.index ?? pieces.length
    for (let index = next; index < limit; index++) {
      if (pieces[index]!.node.type !== nodes[at]!.type) continue
      next = index + 1
      return { index, same: false }
    }
    return null
  })
}

const hasBlankLine = (gap: string): boolean => /\n[ \t]*\n/.test(gap)

/** What stands between two nodes that were not neighbours: a gap that one of them had, if it keeps them apart. */
function gapBetween(pieces: readonly Piece[], before: Origin, after: Origin, usual: string): string {
  const gaps = [before && pieces[before.index]?.gap, after && pieces[after.index - 1]?.gap]
  return gaps.find((gap) => gap && gap.startsWith(usual) && (usual === '\n' || hasBlankLine(gap)) && !/[^\n]/.test(gap)) ?? usual
}

type WeaveOptions = {
  readonly pieces: readonly Piece[]
  readonly nodes: readonly Node[]
  /** The text of a node: `piece` is the one whose place it took. */
  readonly write: (node: Node, index: number, piece: Piece | undefined) => string
  /** The text of a piece that did not change. */
  readonly keep?: (piece: Piece, index: number) => string
  /** Between two new nodes. */
  readonly usualGap: string
  /** Whether two texts mean the same nodes when they follow each other like this. */
  readonly holds?: (text: string, nodes: readonly Node[]) => boolean
}

/** The source of `nodes`, in which every piece that did not change keeps its text. */
export function weave({ pieces, nodes, write, keep = ({ raw }) => raw, usualGap, holds }: WeaveOptions): string {
  const origins = originsOf(pieces, nodes)
  const texts = nodes.map((node, index) => {
    const origin = origins[index]
    const piece = origin ? pieces[origin.index] : undefined
    return origin?.same && piece ? keep(piece, index) : write(node, index, piece)
  })
  const gapBefore = (index: number): string => {
    const [before, after] = [origins[index - 1] ?? null, origins[index] ?? null]
    if (!before || after?.index !== before.index + 1) return gapBetween(pieces, before, after, usualGap)
    const { gap } = pieces[before.index]!
    if ((before.same && after.same) || hasBlankLine(gap) || !holds) return gap
    return holds(texts[index - 1]! + gap + texts[index]!, nodes.slice(index - 1, index + 1)) ? gap : usualGap
  }
  return texts.map((text, index) => (index === 0 ? '' : gapBefore(index)) + text).join('')
}
