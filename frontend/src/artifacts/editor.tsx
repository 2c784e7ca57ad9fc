// CodeMirror, loaded when a source or a comparison is first looked at. Read-only for now.
import { useEffect, useRef } from 'react'
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { GFM, parser } from '@lezer/markdown'
import { cspNonce } from '../app/nonce'

const colours = HighlightStyle.define([
  { tag: tags.heading, class: 'tk-heading' },
  { tag: tags.strong, class: 'tk-strong' },
  { tag: tags.emphasis, class: 'tk-emphasis' },
  { tag: [tags.link, tags.url], class: 'tk-link' },
  { tag: [tags.monospace, tags.labelName], class: 'tk-string' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'tk-mark' },
])

const markdownLanguage = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown')

const readOnly = (label: string): Extension => [
  EditorView.cspNonce.of(cspNonce),
  markdownLanguage,
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  lineNumbers(),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
]

const commonLength = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}

/** Replace only what differs, so that a growing text does not redraw. */
function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString()
  if (old === text) return
  const from = commonLength(old, text)
  view.dispatch({ changes: { from, to: old.length, insert: text.slice(from) } })
}

export function SourceView({ text, label }: { text: string; label: string }) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const created = new EditorView({ parent: host.current, extensions: readOnly(label) })
    view.current = created
    return () => created.destroy()
  }, [label])
  useEffect(() => {
    if (view.current) replaceText(view.current, text)
  }, [text, label])
  return <div ref={host} className="h-full min-h-0" />
}

export function CompareView({ before, after, label }: { before: string; after: string; label: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const changes = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } })
    const view = new EditorView({ parent: host.current, doc: after, extensions: [readOnly(label), changes] })
    return () => view.destroy()
  }, [before, after, label])
  return <div ref={host} className="h-full min-h-0" />
}
