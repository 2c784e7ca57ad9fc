// Where others are in the rich text that several write.
import { useEffect, useRef } from 'react'
import type { Node } from 'prosemirror-model'
import { Plugin, PluginKey } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import type { Collaboration } from '../editing/editState'
import { sourceMap } from '../rich/markdown/sourceMap'
import type { RichEditor } from '../rich/useRichEditor'
import { caretElement } from './caret'
import { CURSOR_MS, colourOf, type TextCursor } from './writers'

const key = new PluginKey<DecorationSet>('richCursors')
/** Longer texts are read too slowly for each move of a cursor. */
const MAX_TEXT_CHARS = 200_000

function drawn(doc: Node, text: string, cursors: readonly TextCursor[]): DecorationSet {
  const map = cursors.length && text.length <= MAX_TEXT_CHARS ? sourceMap(text, doc) : null
  const decorations = cursors.flatMap(({ writer, anchor, head, namedUntil }) => {
    const [from, to] = [map?.toDocument(anchor) ?? null, map?.toDocument(head) ?? null]
    if (from === null || to === null) return []
    const caret = Decoration.widget(to, () => caretElement(writer, namedUntil), { key: `${writer.id} ${namedUntil}`, side: to > from ? -1 : 1, ignoreSelection: true })
    return from === to ? [caret] : [Decoration.inline(Math.min(from, to), Math.max(from, to), { class: `cm-written writer-${colourOf(writer)}` }), caret]
  })
  return DecorationSet.create(doc, decorations)
}

/** Bars and selections of others. They move with the text until it is told anew where they are. */
export const richCursors = (): Plugin<DecorationSet> =>
  new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply: (transaction, decorations) => (transaction.getMeta(key) as DecorationSet | undefined) ?? decorations.map(transaction.mapping, transaction.doc),
    },
    props: { decorations: (state) => key.getState(state) },
  })

function show(view: EditorView, text: string, cursors: readonly TextCursor[]): void {
  const next = drawn(view.state.doc, text, cursors)
  if (next !== DecorationSet.empty || key.getState(view.state) !== DecorationSet.empty) view.dispatch(view.state.tr.setMeta(key, next).setMeta('addToHistory', false))
}

/** Shows where the others are, and tells them where this editor is. Null: this member writes alone. */
export function useRichCursors({ view, state, hasFocus }: RichEditor, collaboration: Collaboration | null): void {
  const plugins = state?.plugins // a new editor has others
  useEffect(() => {
    if (!collaboration || !plugins) return undefined
    const draw = () => void (view.current && show(view.current, collaboration.text(), collaboration.cursors.all()))
    draw()
    const unsubscribe = collaboration.cursors.subscribe(draw)
    return () => {
      unsubscribe()
      if (view.current) show(view.current, '', [])
    }
  }, [view, plugins, collaboration])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [selection, doc] = [state?.selection, state?.doc]
  useEffect(() => {
    if (collaboration) timer.current ??= setTimeout(() => tell(view.current, collaboration, timer), CURSOR_MS)
  }, [view, selection, doc, hasFocus, collaboration])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
      collaboration?.cursors.tell(null)
    },
    [collaboration],
  )
}

function tell(view: EditorView | null, { cursors, text }: Collaboration, timer: { current: unknown }): void {
  timer.current = undefined
  const map = view?.hasFocus() && text().length <= MAX_TEXT_CHARS ? sourceMap(text(), view.state.doc) : null
  const [anchor, head] = view && map ? [map.toSource(view.state.selection.anchor), map.toSource(view.state.selection.head)] : []
  cursors.tell(typeof anchor === 'number' && typeof head === 'number' ? { anchor, head } : null)
}
