import { useEffect, useRef, useState, type RefObject } from 'react'
import { gapCursor } from 'prosemirror-gapcursor'
import { history } from 'prosemirror-history'
import { search } from 'prosemirror-search'
import { EditorState, Plugin, type Command } from 'prosemirror-state'
import { tableEditing } from 'prosemirror-tables'
import { EditorView } from 'prosemirror-view'
import { alignColumns } from './alignColumns'
import { clipboard } from './clipboard'
import { OUTSIDE, replaceDifference } from './markdown/difference'
import { keys, typedMarkdown } from './keys'
import { nodeViews } from './nodeViews'
import { placeholder } from './placeholder'
import { openDocument, writeDocument, type RichDocument } from './markdown/richDocument'
import { keepBlanks } from './markdown/keepBlanks'

type Options = { readonly text: string; readonly label: string; readonly hint: string; readonly plugins: readonly Plugin[]; readonly onChange: (text: string) => void; readonly onLink: () => void; readonly onFind: () => void }

export type RichEditor = {
  readonly host: RefObject<HTMLDivElement | null>
  readonly view: RefObject<EditorView | null>
  readonly state: EditorState | null
  readonly hasFocus: boolean
  /** Is asked first what to do at a key; true: it was one for the menu at the cursor. */
  readonly onKey: RefObject<((event: KeyboardEvent) => boolean) | null>
  /** Runs a command, and then the user types on in the text. */
  readonly run: (command: Command) => void
  /** Runs a command while the focus stays where it is. */
  readonly dispatch: (command: Command) => void
  readonly focus: () => void
}

/** An editor of `text` as rich text. It tells each change as the whole Markdown. */
export function useRichEditor(options: Options): RichEditor {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const richDocument = useRef<RichDocument>(null)
  const lastText = useRef(options.text)
  const [state, setState] = useState<EditorState | null>(null)
  const [hasFocus, setHasFocus] = useState(false)
  const onKey = useRef<(event: KeyboardEvent) => boolean>(null)
  const newest = useRef(options)
  newest.current = options
  const { text, label, hint } = options
  useEffect(() => {
    if (!host.current) return undefined
    richDocument.current = openDocument(newest.current.text)
    lastText.current = newest.current.text
    const call = (action: 'onLink' | 'onFind') => () => {
      newest.current[action]()
      return true
    }
    const menu = new Plugin({
      props: {
        handleKeyDown: (_, event) => onKey.current?.(event) ?? false,
        handleDOMEvents: { focus: () => setHasFocus(true), blur: () => setHasFocus(false) },
      },
    })
    const plugins = [menu, placeholder(hint), typedMarkdown(), ...keys(call('onLink'), call('onFind')), history(), gapCursor(), tableEditing(), alignColumns(), search(), ...newest.current.plugins]
    const created = new EditorView(host.current, {
      ...clipboard,
      state: EditorState.create({ doc: richDocument.current.doc, plugins }),
      nodeViews,
      attributes: { class: 'md rich', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
      dispatchTransaction(transaction) {
        const next = created.state.apply(transaction)
        created.updateState(next)
        setState(next)
        if (!transaction.docChanged || transaction.getMeta(OUTSIDE)) return
        lastText.current = writeDocument(richDocument.current!, next.doc)
        newest.current.onChange(lastText.current)
      },
    })
    view.current = created
    setState(created.state)
    return () => {
      view.current = null
      created.destroy()
    }
  }, [label, hint])
  useEffect(() => {
    if (!view.current || text === lastText.current) return
    richDocument.current = openDocument(text)
    lastText.current = text
    const change = replaceDifference(view.current.state, keepBlanks(view.current.state.doc, richDocument.current.doc))
    if (change) view.current.dispatch(change)
  }, [text, label, hint])
  const dispatch = (command: Command) => void (view.current && command(view.current.state, view.current.dispatch, view.current))
  const focus = () => view.current?.focus()
  const run = (command: Command) => {
    dispatch(command)
    focus()
  }
  return { host, view, state, hasFocus, onKey, run, dispatch, focus }
}
