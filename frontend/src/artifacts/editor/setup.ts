// What every editor of the panel has in common.
import { EditorState, Transaction, type Annotation, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { cspNonce } from '../../browser/nonce'
import { changesBetween } from '../editing/rebase'
import { colours } from './languages'
import { editorPhrases } from './phrases'

/** Lines end at `\n` alone, so that positions and every other character stay as the server has them. */
export const baseExtensions = (label: string): Extension => [
  EditorView.cspNonce.of(cspNonce),
  EditorState.lineSeparator.of('\n'),
  EditorState.phrases.of(editorPhrases()),
  EditorView.lineWrapping,
  lineNumbers(),
  colours,
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
]

export const readOnly = (on: boolean): Extension =>
  on
    ? [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ 'aria-readonly': 'true' })]
    : []

const commonLength = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}

/** Make `text` the text of the editor, not to be undone. A growing text only gets its new end; any other change keeps the cursor where it is. */
export function replaceText(view: EditorView, text: string, mark: Annotation<unknown>): void {
  const old = view.state.doc.toString()
  if (old === text) return
  const from = commonLength(old, text)
  const changes = from === old.length ? { from, insert: text.slice(from) } : changesBetween(old, text)
  view.dispatch({ changes, annotations: [mark, Transaction.addToHistory.of(false)] })
}
