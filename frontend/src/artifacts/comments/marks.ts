// The passages that comments are about, marked in the rich editor. They move with the text.
import { Plugin, PluginKey, TextSelection, type EditorState, type Transaction } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import type { CommentAnchor } from '../../api/generated'
import { findPassage, shownText, type Passage } from './anchors'

export type Anchored = { readonly id: string; readonly anchor: CommentAnchor; readonly isResolved?: boolean }
type Marks = { readonly anchored: readonly Anchored[]; readonly active: string | null; readonly passages: ReadonlyMap<string, Passage> }
type Change = Pick<Marks, 'anchored' | 'active'>

const key = new PluginKey<Marks>('comments')
const NONE: ReadonlyMap<string, Passage> = new Map()

function movedPassage(passage: Passage | undefined, { mapping }: Transaction): Passage | null {
  const range = passage && { from: mapping.map(passage.from, 1), to: mapping.map(passage.to, -1) }
  return range && range.from < range.to ? range : null
}

/** A passage that is known moves with the text, whatever is written in it. One that is new, or was replaced, is looked for. */
function passagesIn(transaction: Transaction, anchored: readonly Anchored[], oldPassages: ReadonlyMap<string, Passage>): ReadonlyMap<string, Passage> {
  if (!anchored.length) return NONE
  let docText: ReturnType<typeof shownText> | undefined
  const passages = new Map<string, Passage>()
  for (const { id, anchor } of anchored) {
    const passage = movedPassage(oldPassages.get(id), transaction) ?? findPassage((docText ??= shownText(transaction.doc)), anchor)
    if (passage) passages.set(id, passage)
  }
  return passages
}

function drawn(state: EditorState): DecorationSet {
  const { anchored, passages, active } = key.getState(state)!
  const resolved = new Set(anchored.flatMap(({ id, isResolved }) => (isResolved ? [id] : [])))
  const look = (id: string) => `comment-mark ${resolved.has(id) ? 'comment-mark-resolved' : ''} ${id === active ? 'comment-mark-active' : ''}`
  const marks = Array.from(passages, ([id, { from, to }]) => Decoration.inline(from, to, { class: look(id) }))
  return DecorationSet.create(state.doc, marks)
}

/** The id of the shortest passage there. */
function passageAt(state: EditorState, position: number): string | null {
  const here = [...passagesOf(state)].filter(([, { from, to }]) => from <= position && position <= to)
  return here.toSorted(([, a], [, b]) => a.to - a.from - (b.to - b.from))[0]?.[0] ?? null
}

/** `onChoose`: the thread whose passage was clicked; null: the click was elsewhere. */
export const commentMarks = (onChoose: (id: string | null) => void): Plugin<Marks> =>
  new Plugin<Marks>({
    key,
    state: {
      init: () => ({ anchored: [], active: null, passages: NONE }),
      apply(transaction, marks) {
        const change = transaction.getMeta(key) as Change | undefined
        if (!change && !transaction.docChanged) return marks
        const next = { ...marks, ...change }
        return { ...next, passages: passagesIn(transaction, next.anchored, marks.passages) }
      },
    },
    props: {
      decorations: drawn,
      handleClick(view, position, { shiftKey }) {
        const { passages, active } = key.getState(view.state)!
        if (shiftKey || (passages.size === 0 && active === null)) return false
        const here = view.state.doc.resolve(position)
        // At once: the editor learns of the click's selection later, and new marks would put the old one back.
        if (here.parent.inlineContent) view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, position)))
        onChoose(passageAt(view.state, position))
        return false
      },
    },
  })

export const passagesOf = (state: EditorState): ReadonlyMap<string, Passage> => key.getState(state)?.passages ?? NONE

export const showMarks = (view: EditorView, change: Change): void => view.dispatch(view.state.tr.setMeta(key, change).setMeta('addToHistory', false))
