// CSV as of RFC 4180 and as spreadsheets write it: with any line ending, a byte order mark, and `;` or tabs as separators.

export type Table = readonly (readonly string[])[]

const SEPARATORS = [',', ';', '\t'] as const

/** The separator that occurs most often in the first line. */
export function separatorOf(csv: string): string {
  const head = (/^(?:"[^"]*"|[^"\r\n]+)*/.exec(csv)?.[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string) => head.split(separator).length
  return SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best))
}

/** A row with its text, which ends with the line end if there is one. */
export type CsvRow = { readonly cells: string[]; readonly raw: string }

/** The rows of `csv`. Rows may differ in length. */
export const parseCsv = (csv: string, separator = separatorOf(csv)): string[][] => csvRows(csv.replace(/^\uFEFF/, ''), separator).map(({ cells }) => cells)

/** The same with their texts. `text` has no byte order mark. */
export function csvRows(text: string, separator: string): CsvRow[] {
  const cell = new RegExp(`"((?:[^"]|"")*)"?|([^${separator}\\r\\n]*)`, 'y')
  const rows: CsvRow[] = []
  let start = 0
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    cell.lastIndex = at
    const [whole = '', quoted, plain] = cell.exec(text) ?? []
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    at += whole.length
    if (text[at] === separator) {
      at++
      if (at === text.length) row.push('')
      continue
    }
    if (text[at] !== undefined && text[at] !== '\r' && text[at] !== '\n') continue // stray text after a closing quote becomes its own cell
    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push({ cells: row, raw: text.slice(start, at) })
    start = at
    row = []
  }
  if (row.length) rows.push({ cells: row, raw: text.slice(start) })
  return rows
}

/** Quotes a cell with any separator, not only the current one, because readers of the file have to guess it. */
export const quoteCell = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const writeCsv = (table: Table, separator = ','): string =>
  table.map((row) => `${row.map((cell) => quoteCell(cell)).join(separator)}\n`).join('')
