// The selections of others in the editor of sources. The library's own would set inline styles, which the page's policy refuses.
import { Annotation, RangeSet, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type PluginValue, type ViewUpdate } from '@codemirror/view'
import { caretElement } from './caret'
import { CURSOR_MS, colourOf, type OtherWriter, type TextCursors } from './writers'

const othersMoved = Annotation.define<boolean>()

class Caret extends WidgetType {
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
    return caretElement(this.writer, this.namedUntil)
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
    private readonly cursors: TextCursors,
  ) {
    this.unsubscribe = cursors.subscribe(() => view.dispatch({ annotations: othersMoved.of(true) }))
    this.decorations = this.drawn()
  }

  update(update: ViewUpdate): void {
    if (update.selectionSet || update.focusChanged || update.docChanged) this.timer ??= setTimeout(() => this.send(), CURSOR_MS)
    if (update.docChanged || update.transactions.some((transaction) => transaction.annotation(othersMoved))) this.decorations = this.drawn()
  }

  destroy(): void {
    clearTimeout(this.timer)
    this.unsubscribe()
    this.cursors.tell(null)
  }

  private send(): void {
    this.timer = undefined
    const { anchor, head } = this.view.state.selection.main
    this.cursors.tell(this.view.hasFocus ? { anchor, head } : null)
  }

  private drawn(): DecorationSet {
    const { length } = this.view.state.doc
    const ranges: Range<Decoration>[] = []
    for (const { writer, anchor, head, namedUntil } of this.cursors.all()) {
      if (anchor > length || head > length) continue
      if (anchor !== head) ranges.push(Decoration.mark({ class: `cm-written writer-${colourOf(writer)}` }).range(Math.min(anchor, head), Math.max(anchor, head)))
      ranges.push(Decoration.widget({ widget: new Caret(writer, namedUntil), side: head > anchor ? -1 : 1 }).range(head))
    }
    return Decoration.set(ranges, true)
  }
}

/** Shows where others are, and tells where this editor is. */
export const cursors = (of: TextCursors): Extension => ViewPlugin.define((view) => new Cursors(view, of), { decorations: (plugin) => plugin.decorations })
