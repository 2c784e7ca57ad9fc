import { StateEffect, StateField, type Extension } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'

/** Marks the line with this number, counted from 1; null: none. */
export const markErrorLine = StateEffect.define<number | null>()

const mark = Decoration.line({ class: 'cm-error-line', attributes: { 'data-error-line': 'true' } })

export const errorLine: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const next = transaction.effects.findLast((effect) => effect.is(markErrorLine))
    if (!next) return marks.map(transaction.changes)
    const number = next.value as number | null
    if (number === null || number < 1 || number > transaction.state.doc.lines) return Decoration.none
    return Decoration.set(mark.range(transaction.state.doc.line(number).from))
  },
  provide: (field) => EditorView.decorations.from(field),
})
