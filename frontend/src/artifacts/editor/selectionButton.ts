// A small button at the selection, and its keyboard shortcut.
import { t } from '@lingui/core/macro'
import { Prec, StateField, type EditorState, type Extension } from '@codemirror/state'
import { keymap, showTooltip, type EditorView, type Tooltip } from '@codemirror/view'
import { shortcutLabel } from '../../navigation/shortcuts'

/** UTF-16 offsets. */
export type TextRange = { readonly start: number; readonly end: number }
/** A range of the text `of`. If the text has changed since, the range is no longer valid. */
export type TextSelection = TextRange & { readonly of: string }
type Choose = (selected: TextSelection) => void

function selectedRange(state: EditorState): TextRange | null {
  const { from, to, empty } = state.selection.main
  return empty || !state.sliceDoc(from, to).trim() ? null : { start: from, end: to }
}

/** Returns whether there was a selection to choose. */
function chooseSelection({ state }: EditorView, choose: Choose): boolean {
  const place = selectedRange(state)
  if (place) choose({ ...place, of: state.doc.toString() })
  return place !== null
}

function button(view: EditorView, choose: Choose): HTMLElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'btn shadow-pop'
  const shortcut = shortcutLabel('I')
  element.textContent = t`Edit just this`
  element.title = t`Edit just this (${shortcut})`
  element.addEventListener('mousedown', (event) => event.preventDefault()) // keeps the selection
  element.addEventListener('click', () => chooseSelection(view, choose))
  return element
}

export function selectionButton(choose: Choose): Extension {
  const tooltip = (state: EditorState): Tooltip | null =>
    selectedRange(state) && { pos: state.selection.main.head, above: true, create: (view) => ({ dom: button(view, choose) }) }
  const field = StateField.define<Tooltip | null>({
    create: tooltip,
    update: (oldTooltip, transaction) => (transaction.docChanged || transaction.selection ? tooltip(transaction.state) : oldTooltip),
    provide: (self) => showTooltip.from(self),
  })
  return [field, Prec.highest(keymap.of([{ key: 'Mod-i', run: (view) => chooseSelection(view, choose), preventDefault: true }]))]
}
