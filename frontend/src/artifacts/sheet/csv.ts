// CSV after RFC 4180, and what spreadsheets make of it: any of the three line ends, a byte order mark, `;` or tabs between the cells.

export type Table = readonly (readonly string[])[]

const SEPARATORS = [',', ';', '\t'] as const

/** The separator that the first line has most of. */
export function separatorOf(csv: string): string {
  const head = (/^(?:"[^"]*"|[^"\r\n]+)*/.exec(csv)?.[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string) => head.split(separator).length
  return SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best))
}

/** The rows of `csv`, in which a row may be shorter than others. */
export function parseCsv(csv: string, separator = separatorOf(csv)): string[][] {
  const text = csv.replace(/^\uFEFF/, '')
  const cell = new RegExp(`"((?:[^"]|"")*)"?|([^${separator}\\r\\n]*)`, 'y')
  const rows: string[][] = []
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
    if (text[at] !== undefined && text[at] !== '\r' && text[at] !== '\n') continue // stray text after a closing quote: a cell of its own
    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push(row)
    row = []
  }
  if (row.length) rows.push(row)
  return rows
}

/** Any separator is quoted, not only the one in use: who reads the file has to guess which that is. */
const quoteCell = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const writeCsv = (table: Table, separator = ','): string =>
  table.map((row) => `${row.map((cell) => quoteCell(cell)).join(separator)}\n`).join('')
