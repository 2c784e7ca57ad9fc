// The selections of others in the editor. The library's own would set inline styles, which the page's policy refuses.
import { Annotation, RangeSet, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type PluginValue, type ViewUpdate } from '@codemirror/view'
import * as Y from 'yjs'
import { colourOf, type OtherWriter } from './writers'

/** Where a selection is, in Yjs's JSON, so that it stays at its place while the text changes. */
export type Cursor = { readonly anchor: unknown; readonly head: unknown }
export type CursorSource = {
  all(): Iterable<readonly [OtherWriter, Cursor]>
  subscribe(listener: () => void): () => void
}

const SEND_MS = 200
/** A name shows as long after its cursor has moved; then the bar stands alone. */
const NAME_MS = 2000
const othersMoved = Annotation.define<boolean>()

class Caret extends WidgetType {
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    readonly writer: OtherWriter,
    readonly namedUntil: number,
  ) {
    super()
  }
  override eq({ writer, namedUntil }: Caret): boolean {
    return writer.id === this.writer.id && writer.name === this.writer.name && namedUntil === this.namedUntil
  }
  override toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = `cm-writer writer-${colourOf(this.writer)}`
    caret.dataset['writer'] = this.writer.name // drawn by the style sheet, so that it is no part of the text
    const left = this.namedUntil - performance.now()
    caret.classList.toggle('cm-writer-named', left > 0)
    if (left > 0) this.timer = setTimeout(() => caret.classList.remove('cm-writer-named'), left)
    return caret
  }
  override destroy(): void {
    clearTimeout(this.timer)
  }
  override ignoreEvent(): boolean {
    return true
  }
}

class Cursors implements PluginValue {
  decorations: DecorationSet = RangeSet.empty
  /** Where each of the others was last, and until when the name shows there. */
  private readonly places = new Map<string, { readonly cursor: Cursor; readonly namedUntil: number }>()
  private readonly unsubscribe: () => void
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly view: EditorView,
    private readonly text: Y.Text,
    private readonly others: CursorSource,
    private readonly onCursor: (cursor: Cursor | null) => void,
  ) {
    this.unsubscribe = others.subscribe(() => view.dispatch({ annotations: othersMoved.of(true) }))
    this.decorations = this.drawn()
  }

  update(update: ViewUpdate): void {
    if (update.selectionSet || update.focusChanged || update.docChanged) this.timer ??= setTimeout(() => this.send(), SEND_MS)
    if (update.docChanged || update.transactions.some((transaction) => transaction.annotation(othersMoved))) this.decorations = this.drawn()
  }

  destroy(): void {
    clearTimeout(this.timer)
    this.unsubscribe()
    this.onCursor(null)
  }

  private send(): void {
    this.timer = undefined
    const { anchor, head } = this.view.state.selection.main
    const at = (index: number) => Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(this.text, index)) as unknown
    this.onCursor(this.view.hasFocus ? { anchor: at(anchor), head: at(head) } : null)
  }

  private drawn(): DecorationSet {
    const ranges: Range<Decoration>[] = []
    for (const [writer, cursor] of this.others.all()) {
      const [anchor, head] = [this.index(cursor.anchor), this.index(cursor.head)]
      if (anchor === null || head === null) continue
      if (anchor !== head) ranges.push(Decoration.mark({ class: `cm-written writer-${colourOf(writer)}` }).range(Math.min(anchor, head), Math.max(anchor, head)))
      ranges.push(Decoration.widget({ widget: new Caret(writer, this.namedUntil(writer, cursor)), side: head > anchor ? -1 : 1 }).range(head))
    }
    return Decoration.set(ranges, true)
  }

  private namedUntil({ id }: OtherWriter, cursor: Cursor): number {
    const known = this.places.get(id)
    if (known?.cursor === cursor) return known.namedUntil
    const namedUntil = performance.now() + NAME_MS
    this.places.set(id, { cursor, namedUntil })
    return namedUntil
  }

  /** Null: the place is gone, or of a text that is not here yet. */
  private index(position: unknown): number | null {
    try {
      const place = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(position), this.text.doc!)
      return place && place.type === this.text && place.index <= this.view.state.doc.length ? place.index : null
    } catch {
      return null
    }
  }
}

/** Shows where others are, and tells where this editor is. */
export const cursors = (text: Y.Text, others: CursorSource, onCursor: (cursor: Cursor | null) => void): Extension =>
  ViewPlugin.define((view) => new Cursors(view, text, others, onCursor), { decorations: (plugin) => plugin.decorations })
