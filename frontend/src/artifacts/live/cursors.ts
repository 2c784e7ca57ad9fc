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
const othersMoved = Annotation.define<boolean>()

class Caret extends WidgetType {
  constructor(readonly writer: OtherWriter) {
    super()
  }
  override eq({ writer }: Caret): boolean {
    return writer.id === this.writer.id && writer.name === this.writer.name
  }
  override toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = `cm-writer writer-${colourOf(this.writer)}`
    caret.dataset['writer'] = this.writer.name // drawn by the style sheet, so that it is no part of the text
    return caret
  }
  override ignoreEvent(): boolean {
    return true
  }
}

class Cursors implements PluginValue {
  decorations: DecorationSet = RangeSet.empty
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
      ranges.push(Decoration.widget({ widget: new Caret(writer), side: head > anchor ? -1 : 1 }).range(head))
    }
    return Decoration.set(ranges, true)
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
