// What others have just written, on a coloured ground that fades.
import { Annotation, RangeSet, type Extension } from '@codemirror/state'
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type PluginValue, type ViewUpdate } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import { FADE_MS } from './writers'

const faded = Annotation.define<boolean>()

/** Each change has a mark of its own, so that its ground fades by itself. */
const freshMark = (number: number): Decoration => Decoration.mark({ class: 'cm-fresh', attributes: { 'data-change': String(number) }, number })

class FreshText implements PluginValue {
  decorations: DecorationSet = RangeSet.empty
  private readonly timers = new Set<ReturnType<typeof setTimeout>>()
  private changes = 0

  constructor(private readonly view: EditorView) {}

  update(update: ViewUpdate): void {
    this.decorations = this.decorations.map(update.changes)
    if (!update.transactions.some((transaction) => transaction.annotation(ySyncAnnotation))) return
    const mark = freshMark(++this.changes)
    update.changes.iterChanges((_, __, from, to) => {
      if (to > from) this.decorations = this.decorations.update({ add: [mark.range(from, to)] })
    })
    const number = this.changes
    const timer = setTimeout(() => this.end(number, timer), FADE_MS)
    this.timers.add(timer)
  }

  destroy(): void {
    this.timers.forEach(clearTimeout)
  }

  /** A mark that stayed would be drawn again, and fade again, when its line comes into view. */
  private end(number: number, timer: ReturnType<typeof setTimeout>): void {
    this.timers.delete(timer)
    this.decorations = this.decorations.update({ filter: (_, __, { spec }) => (spec as { number: number }).number !== number })
    this.view.dispatch({ annotations: faded.of(true) })
  }
}

export const freshText = (): Extension => ViewPlugin.define((view) => new FreshText(view), { decorations: (plugin) => plugin.decorations })
