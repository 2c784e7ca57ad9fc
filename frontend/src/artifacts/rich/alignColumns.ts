import type { Node } from 'prosemirror-model'
import { Plugin, type Transaction } from 'prosemirror-state'

/** Gives the cells of one table, which begins at `start`, the alignment of their column's header. */
function alignTable(tr: Transaction, table: Node, start: number): void {
  const header = table.firstChild
  table.forEach((row, rowOffset) => {
    row.forEach((cell, offset, column) => {
      const align = header?.maybeChild(column)?.attrs['align'] as string | null | undefined
      if (align !== undefined && cell.attrs['align'] !== align) tr.setNodeAttribute(start + rowOffset + 1 + offset, 'align', align)
    })
  })
}

/** In Markdown a column is aligned as a whole, so the cells of a new row follow those above. */
export const alignColumns = (): Plugin =>
  new Plugin({
    appendTransaction(transactions, _, state) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null
      const { tr } = state
      state.doc.forEach((block, offset) => void (block.type.name === 'table' && alignTable(tr, block, offset + 1)))
      return tr.docChanged ? tr : null
    },
  })
