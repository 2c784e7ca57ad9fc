// A small button at the selection, and its key.
import { Prec, StateField, type EditorState, type Extension } from '@codemirror/state'
import { keymap, showTooltip, type EditorView, type Tooltip } from '@codemirror/view'
import { keys } from '../../app/useShortcuts'

/** UTF-16 offsets. */
export type Selected = { readonly start: number; readonly end: number }
type Choose = (selected: Selected) => void

const LABEL = 'Edit just this'

function selectedIn(state: EditorState): Selected | null {
  const { from, to, empty } = state.selection.main
  return empty || !state.sliceDoc(from, to).trim() ? null : { start: from, end: to }
}

function button(view: EditorView, choose: Choose): HTMLElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'btn shadow-pop'
  element.textContent = LABEL
  element.title = `${LABEL} (${keys('I')})`
  element.addEventListener('mousedown', (event) => event.preventDefault()) // keeps the selection
  element.addEventListener('click', () => {
    const selected = selectedIn(view.state)
    if (selected) choose(selected)
  })
  return element
}

export function selectionButton(choose: Choose): Extension {
  const tooltip = (state: EditorState): Tooltip | null =>
    selectedIn(state) && { pos: state.selection.main.head, above: true, create: (view) => ({ dom: button(view, choose) }) }
  const field = StateField.define<Tooltip | null>({
    create: tooltip,
    update: (shown, transaction) => (transaction.docChanged || transaction.selection ? tooltip(transaction.state) : shown),
    provide: (self) => showTooltip.from(self),
  })
  const run = (view: EditorView): boolean => {
    const selected = selectedIn(view.state)
    if (selected) choose(selected)
    return selected !== null
  }
  return [field, Prec.highest(keymap.of([{ key: 'Mod-i', run, preventDefault: true }]))]
}
