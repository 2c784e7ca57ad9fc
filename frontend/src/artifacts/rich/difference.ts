// A text from elsewhere in the editor: from another version, or from others who write it.
import type { Node } from 'prosemirror-model'
import type { EditorState, Transaction } from 'prosemirror-state'
import { replaceStep } from 'prosemirror-transform'

/** The meta of a transaction that the member did not make. */
export const OUTSIDE = 'outside'

/** Replaces only what differs, so that cursors, marks and the history stay. Null: there is no difference. */
export function replaceDifference(state: EditorState, doc: Node): Transaction | null {
  const start = state.doc.content.findDiffStart(doc.content)
  const ends = state.doc.content.findDiffEnd(doc.content)
  if (start === null || !ends) return null
  const overlap = Math.max(0, start - Math.min(ends.a, ends.b))
  const step = replaceStep(state.doc, start, ends.a + overlap, doc.slice(start, ends.b + overlap))
  const change = state.tr
  const isWhole = step !== null && !change.maybeStep(step).failed && change.doc.eq(doc)
  return (isWhole ? change : replaceBlocks(state, doc)).setMeta('addToHistory', false).setMeta(OUTSIDE, true)
}

/** The same in whole blocks, where a part does not fit into what stands around it. */
function replaceBlocks(state: EditorState, doc: Node): Transaction {
  const shorter = Math.min(state.doc.childCount, doc.childCount)
  let first = 0
  while (first < shorter && state.doc.child(first).eq(doc.child(first))) first++
  let last = 0
  while (last < shorter - first && state.doc.child(state.doc.childCount - 1 - last).eq(doc.child(doc.childCount - 1 - last))) last++
  const place = (of: Node, index: number) => of.content.content.slice(0, index).reduce((sum, { nodeSize }) => sum + nodeSize, 0)
  const slice = doc.slice(place(doc, first), place(doc, doc.childCount - last))
  return state.tr.replace(place(state.doc, first), place(state.doc, state.doc.childCount - last), slice)
}
