// A CSV text as it was written. Cells that nobody changed keep their own text: quotes, spaces, line ends and all.
import { csvRows, quoteCell, separatorOf, type Table } from './csv'

type Row = readonly string[]

export type SheetSource = { readonly table: Table; readonly separator: string; readonly lineEnd: string; readonly mark: string }

/** The text of each row, for as long as the row is there. */
const raws = new WeakMap<Row, string>()

const MARK = '\uFEFF'
const withoutEnd = (raw: string): string => raw.replace(/(?:\r\n|\r|\n)$/, '')

export function readSheet(text: string): SheetSource {
  const mark = text.startsWith(MARK) ? MARK : ''
  const body = text.slice(mark.length)
  const separator = separatorOf(body)
  const table: Row[] = []
  for (const { cells, raw } of csvRows(body, separator)) {
    raws.set(cells, raw)
    table.push(cells)
  }
  return { table, separator, mark, lineEnd: /\r\n|\r|\n/.exec(body)?.[0] ?? '\n' }
}

/** The text of a changed row: cells with the old value keep the old text. */
function changedRow(before: Row, after: Row, { separator, lineEnd }: SheetSource): string {
  const raw = raws.get(before) ?? ''
  const end = raw.slice(withoutEnd(raw).length) || lineEnd
  const texts = cellsOf(withoutEnd(raw), separator)
  const old = texts.length === before.length ? texts : [] // a row that is no proper CSV is written anew
  return after.map((cell, index) => (cell === before[index] && index < old.length ? old[index]! : quoteCell(cell))).join(separator) + end
}

/** The cells of one row as they are written. */
function cellsOf(raw: string, separator: string): string[] {
  const texts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] === '"') quoted = !quoted
    else if (raw[at] === separator && !quoted) {
      texts.push(raw.slice(start, at))
      start = at + 1
    }
  }
  return [...texts, raw.slice(start)]
}

/** The sheet with another table. A row that is still the same object keeps its text. */
export function changeSheet(source: SheetSource, table: Table): SheetSource {
  table.forEach((row, index) => {
    const before = source.table[index]
    if (!raws.has(row) && before) raws.set(row, changedRow(before, row, source))
  })
  return { ...source, table }
}

export function writeSheet({ table, separator, lineEnd, mark }: SheetSource): string {
  const fresh = (row: Row) => row.map(quoteCell).join(separator) + lineEnd
  const rows = table.map((row, index) => {
    const raw = raws.get(row) ?? fresh(row)
    return index < table.length - 1 && withoutEnd(raw) === raw ? raw + lineEnd : raw
  })
  return mark + rows.join('')
}

