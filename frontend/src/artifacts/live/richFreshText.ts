// What others have just written in the rich text, on a coloured ground that fades.
import { Plugin, PluginKey, type Transaction } from 'prosemirror-state'
import { Decoration, DecorationSet } from 'prosemirror-view'
import { OUTSIDE } from '../rich/markdown/difference'
import { FADE_MS } from './writers'

/** `number`: of the newest change of others. */
type Fresh = { readonly number: number; readonly marks: DecorationSet }

const key = new PluginKey<Fresh>('richFreshText')

function marksOf({ doc, mapping }: Transaction, number: number): readonly Decoration[] {
  const marks: Decoration[] = []
  mapping.maps.forEach((map, index) => {
    const later = mapping.slice(index + 1)
    map.forEach((_, __, from, to) => {
      const [start, end] = [later.map(from, 1), Math.min(later.map(to, -1), doc.content.size)]
      if (start < end) marks.push(Decoration.inline(start, end, { class: 'cm-fresh', 'data-change': String(number) }, { number }))
    })
  })
  return marks
}

/** `isShared`: whether others write the text just now. Else it is this member who changed it, elsewhere. */
export const richFreshText = (isShared: () => boolean): Plugin<Fresh> =>
  new Plugin<Fresh>({
    key,
    state: {
      init: () => ({ number: 0, marks: DecorationSet.empty }),
      apply(transaction, { number, marks }) {
        const nextMarks = marks.map(transaction.mapping, transaction.doc)
        const faded = transaction.getMeta(key) as number | undefined
        if (faded !== undefined) return { number, marks: nextMarks.remove(nextMarks.find(undefined, undefined, (spec) => spec['number'] === faded)) }
        if (!transaction.docChanged || !transaction.getMeta(OUTSIDE) || !isShared()) return { number, marks: nextMarks }
        return { number: number + 1, marks: nextMarks.add(transaction.doc, [...marksOf(transaction, number + 1)]) }
      },
    },
    props: { decorations: (state) => key.getState(state)?.marks },
    view: () => ({
      update(view, before) {
        const { number } = key.getState(view.state)!
        if (number === key.getState(before)?.number) return
        setTimeout(() => view.isDestroyed || view.dispatch(view.state.tr.setMeta(key, number).setMeta('addToHistory', false)), FADE_MS)
      },
    }),
  })
