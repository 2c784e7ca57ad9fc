// The CodeMirror editor of the panel, and its extensions.
import { useEffect, useRef, type Ref, useImperativeHandle } from 'react'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap } from '@codemirror/view'
import type { Collaboration } from '../editing/editState'
import type { AnchoredSuggestion } from '../suggestions/anchors'
import { errorLine, markErrorLine } from './errorLine'
import { loadLanguage } from './languages'
import { selectionButton, type TextSelection } from './selectionButton'
import { baseExtensions, readOnly, replaceText } from './setup'
import { goToSuggestion, showSuggestions, suggestionMarks } from './suggestionMarks'

export type EditorHandle = { goToSuggestion(id: string): void; focus(): void }

type Props = {
  readonly text: string
  readonly label: string
  /** A language name of languages.ts. */
  readonly language: string | undefined
  readonly locked: boolean
  /** The text is being written, and its end stays in view. */
  readonly live: boolean
  /** Makes the text one that others write, too. It tells its changes by itself. */
  readonly collaboration: Collaboration | null
  readonly errorLine: number | null
  readonly suggestions: readonly AnchoredSuggestion[]
  readonly onChange: (text: string) => void
  readonly onDecide: (id: string, decision: 'accept' | 'reject') => void
  /** Undefined where nobody can be asked to change the selection. */
  readonly onEditThis: ((selected: TextSelection) => void) | undefined
  readonly ref?: Ref<EditorHandle>
}

/** A reader this close to the end of a growing text follows it. */
const NEAR_END_PX = 60
/** Marks a change that the user of this editor did not make. */
const fromOutside = Annotation.define<boolean>()

/** In prose, Tab moves the focus. In code it indents, and Escape and then Tab moves the focus. */
const tabKey = (language: string | undefined): Extension => (language === 'markdown' ? [] : keymap.of([indentWithTab]))

const ownHistory: Extension = [history(), keymap.of(historyKeymap)]

const writing = (language: string | undefined, collaboration: Collaboration | null): Extension => [
  collaboration?.extension ?? ownHistory,
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  tabKey(language),
  keymap.of(defaultKeymap),
]

/** The latest callbacks of the component, because the editor outlives a render. */
function useNewest<T>(value: T): { readonly current: T } {
  const newest = useRef(value)
  newest.current = value
  return newest
}

function useEditor(props: Props) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const lock = useRef(new Compartment())
  const newest = useNewest(props)
  const { label, language } = props
  useEffect(() => {
    if (!host.current) return undefined
    const grammar = new Compartment()
    const created = new EditorView({
      parent: host.current,
      doc: newest.current.text,
      extensions: [
        baseExtensions(label),
        grammar.of([]),
        lock.current.of([]),
        search({ top: true }),
        keymap.of(searchKeymap),
        errorLine,
        suggestionMarks((id, decision) => newest.current.onDecide(id, decision)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !newest.current.collaboration && !update.transactions.some((transaction) => transaction.annotation(fromOutside))) newest.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    view.current = created
    void document.fonts.ready.then(() => created.requestMeasure())
    void loadLanguage(language).then((extension) => view.current === created && created.dispatch({ effects: grammar.reconfigure(extension) }))
    return () => {
      view.current = null
      created.destroy()
    }
  }, [label, language, newest])
  return { host, view, lock, newest }
}

/** An editor for a text, or a view of a text that somebody else is writing. */
export function CodeEditor(props: Props) {
  const { host, view, lock, newest } = useEditor(props)
  const { text, label, language, locked, live, collaboration, suggestions } = props
  useEffect(() => {
    if (collaboration && view.current) replaceText(view.current, collaboration.text(), fromOutside.of(true))
    const way = locked
      ? [readOnly(true), collaboration?.extension ?? []]
      : [writing(language, collaboration), newest.current.onEditThis ? selectionButton((selected) => newest.current.onEditThis?.(selected)) : []]
    view.current?.dispatch({ effects: lock.current.reconfigure(way) })
  }, [locked, label, language, collaboration, lock, newest, view])
  useEffect(() => {
    if (!view.current || collaboration) return
    const { scrollDOM } = view.current
    const atEnd = scrollDOM.scrollHeight - scrollDOM.scrollTop - scrollDOM.clientHeight < NEAR_END_PX
    replaceText(view.current, text, fromOutside.of(true))
    if (live && atEnd) scrollDOM.scrollTop = scrollDOM.scrollHeight
  }, [text, label, language, live, collaboration, view])
  useEffect(() => {
    if (view.current) showSuggestions(view.current, suggestions)
  }, [suggestions, label, language, view])
  useEffect(() => {
    view.current?.dispatch({ effects: markErrorLine.of(props.errorLine) })
  }, [props.errorLine, label, language, view])
  useImperativeHandle(props.ref, () => ({
    goToSuggestion: (id) => view.current && goToSuggestion(view.current, id),
    focus: () => view.current?.focus(),
  }))
  return <div ref={host} className="h-full min-h-0" />
}
