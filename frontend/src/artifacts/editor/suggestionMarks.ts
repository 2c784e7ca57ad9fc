// Suggestions in the text: the old text is struck through, and the new text follows it.
import { Prec, StateEffect, StateField, type EditorState, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, keymap, WidgetType, type Command, type DecorationSet } from '@codemirror/view'
import type { AnchoredSuggestion } from '../suggestions/anchors'

type SuggestionRange = { readonly id: string; readonly from: number; readonly to: number; readonly insert: string }
type Decide = (id: string, decision: 'accept' | 'reject') => void

const setPlaces = StateEffect.define<readonly SuggestionRange[]>()

class Insertion extends WidgetType {
  constructor(readonly text: string) {
    super()
  }
  override eq(other: Insertion): boolean {
    return other.text === this.text
  }
  override toDOM(): HTMLElement {
    const insertion = document.createElement('ins')
    insertion.className = 'cm-suggestion-new'
    insertion.textContent = this.text
    return insertion
  }
}

const field = StateField.define<readonly SuggestionRange[]>({
  create: () => [],
  update(places, transaction) {
    const next = transaction.effects.findLast((effect) => effect.is(setPlaces))
    if (next) return next.value as readonly SuggestionRange[]
    if (!transaction.docChanged) return places
    const { changes } = transaction
    return places.map((place) => ({ ...place, from: changes.mapPos(place.from, 1), to: changes.mapPos(place.to, -1) })).filter(({ from, to }) => from < to)
  },
  provide: (self) => EditorView.decorations.from(self, decorations),
})

function decorations(places: readonly SuggestionRange[]): DecorationSet {
  const ranges: Range<Decoration>[] = places.flatMap(({ id, from, to, insert }) => [
    Decoration.mark({ tagName: 'del', class: 'cm-suggestion-old', attributes: { 'data-suggestion': id } }).range(from, to),
    ...(insert ? [Decoration.widget({ widget: new Insertion(insert), side: 1 }).range(to)] : []),
  ])
  return Decoration.set(ranges, true)
}

/** The suggestion at the cursor, else the next one, else the first. */
function current(state: EditorState): SuggestionRange | undefined {
  const places = state.field(field)
  return places.find(({ to }) => to >= state.selection.main.head) ?? places[0]
}

function goTo(view: EditorView, place: SuggestionRange | undefined): boolean {
  if (!place) return false
  view.dispatch({ selection: { anchor: place.from, head: place.to }, effects: EditorView.scrollIntoView(place.from, { y: 'center' }) })
  return true
}

const goToNext: Command = (view) => {
  const places = view.state.field(field)
  return goTo(view, places.find(({ from }) => from > view.state.selection.main.from) ?? places[0])
}

/** Marks, and the keys Alt+Enter (accept), Alt+Backspace (reject) and Alt+N (next). */
export function suggestionMarks(decide: Decide): Extension {
  const decideAtCursor = (decision: 'accept' | 'reject'): Command => (view) => {
    const place = current(view.state)
    if (place) decide(place.id, decision)
    return place !== undefined
  }
  const keys = [
    { key: 'Alt-Enter', run: decideAtCursor('accept'), preventDefault: true },
    { key: 'Alt-Backspace', run: decideAtCursor('reject'), preventDefault: true },
    { key: 'Alt-n', run: goToNext, preventDefault: true },
  ]
  return [field, Prec.high(keymap.of(keys))]
}

export function showSuggestions(view: EditorView, places: readonly AnchoredSuggestion[]): void {
  const length = view.state.doc.length
  const fitting = places.filter(({ to }) => to <= length)
  const value = fitting.map(({ suggestion, from, to }) => ({ id: suggestion.id, from, to, insert: suggestion.replacement }))
  if (value.length || view.state.field(field).length) view.dispatch({ effects: setPlaces.of(value) })
}

export const goToSuggestion = (view: EditorView, id: string): boolean =>
  goTo(view, view.state.field(field).find((place) => place.id === id))
