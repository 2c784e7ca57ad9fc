// A text from elsewhere in the editor: from another version, or from others who write it.
import { Fragment, Slice, type Node } from 'prosemirror-model'
import type { EditorState, Selection, Transaction } from 'prosemirror-state'
import { ReplaceStep, StepMap, type Mappable } from 'prosemirror-transform'
import { differenceOf, type Range } from './tokens'
import { children } from './writing'

/** The meta of a transaction that the member did not make. */
export const OUTSIDE = 'outside'

/** More are a new text: one replacement of all between them is drawn faster. */
const MAX_STEPS = 100

/** Replaces only what differs, so that marks and the history stay, and a selection stays at its words. Null: there is no difference. */
export function replaceDifference(state: EditorState, doc: Node): Transaction | null {
  const blocks = differentBlocks(state.doc, doc)
  if (!blocks) return null
  const { start, old, next } = blocks
  const { moves, changes } = differenceOf(old, next, start)
  const change = replaced(state, doc, changes) ?? state.tr.replace(start, start + sizeOf(old), new Slice(Fragment.from(next), 0, 0))
  const selection = state.selection.map(change.doc, placesAfter(moves, state.selection))
  return change.setSelection(selection).setMeta('addToHistory', false).setMeta(OUTSIDE, true)
}

const sizeOf = (nodes: readonly Node[]): number => nodes.reduce((sum, { nodeSize }) => sum + nodeSize, 0)

type Blocks = { readonly start: number; readonly old: readonly Node[]; readonly next: readonly Node[] }

/** What is left without the blocks at both ends that are the same. `start`: its position in both documents. */
function differentBlocks(before: Node, after: Node): Blocks | null {
  const [old, next] = [children(before), children(after)]
  const shorter = Math.min(old.length, next.length)
  let first = 0
  while (first < shorter && old[first]!.eq(next[first]!)) first++
  if (first === Math.max(old.length, next.length)) return null
  let last = 0
  while (last < shorter - first && old.at(-1 - last)!.eq(next.at(-1 - last)!)) last++
  return { start: sizeOf(old.slice(0, first)), old: old.slice(first, old.length - last), next: next.slice(first, next.length - last) }
}

/** One step for each range, the last first. What makes no document alone, as one end of a list, is joined with the range before it. Null: it can't be done. */
function replaced(state: EditorState, doc: Node, ranges: readonly Range[]): Transaction | null {
  const change = state.tr
  const parts = ranges.length > MAX_STEPS ? [joined(ranges[0]!, ranges.at(-1)!)] : ranges
  let left: Range | undefined
  for (const part of parts.toReversed()) {
    const range = left ? joined(part, left) : part
    left = step(change, doc, range) ? undefined : range
  }
  return !left && change.doc.eq(doc) ? change : null
}

const joined = ({ from, fromNew }: Range, { to, toNew }: Range): Range => ({ from, to, fromNew, toNew })

function step(change: Transaction, doc: Node, { from, to, fromNew, toNew }: Range): boolean {
  try {
    return !change.maybeStep(new ReplaceStep(from, to, doc.slice(fromNew, toNew))).failed
  } catch {
    return false // the schema has no such document
  }
}

/** Where the places of a selection went. What came at its end does not join it. */
function placesAfter(moves: readonly Range[], { empty, to: end }: Selection): Mappable {
  const map = new StepMap(moves.flatMap(({ from, to, fromNew, toNew }) => [from, to - from, toNew - fromNew]))
  const sideAt = (place: number, side?: number) => (!empty && place === end ? -1 : side)
  return { map: (place, side) => map.map(place, sideAt(place, side)), mapResult: (place, side) => map.mapResult(place, sideAt(place, side)) }
}
