// What a sheet shows of its columns: a header, numbers, widths, and rows in another order or fewer of them.
import type { Table } from './csv'
import { isErrorText } from './table'

type Row = readonly string[]

const NUMBER = /^\s*[+-]?[$€£]?\s?(?:\d{1,3}(?:[.,'\u202f\u00a0 ]\d{3})+|\d+)?(?:[.,]\d+)?(?:e[+-]?\d+)?\s*(?:%|[a-z€$£]{1,3})?\s*$/i
/** So many rows say what a column holds. */
const SAMPLE = 200

export const isNumber = (cell: string): boolean => /\d/.test(cell) && NUMBER.test(cell)

/** Its value. The last of two different marks is the decimal one; a single comma before three digits groups thousands. */
export function numberOf(cell: string): number {
  const digits = cell.replace(/[^\d.,+\-e]/gi, '').replace(/e(?![+-]?\d)/gi, '')
  const mark = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  if (mark < 0) return Number(digits)
  const groups = digits[mark] === ',' ? /^[+-]?\d{1,3}(?:,\d{3})+$/ : /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/
  if (groups.test(digits)) return Number(digits.replace(/[.,]/g, ''))
  return Number(`${digits.slice(0, mark).replace(/[.,]/g, '')}.${digits.slice(mark + 1)}`)
}

/** Whether the first row names the columns: each cell has a name, and no name is a number. */
export function hasHeader([first, ...others]: Table): boolean {
  return first !== undefined && others.length > 0 && first.length > 0 && first.every((cell) => cell.trim() !== '' && !isNumber(cell)) && new Set(first).size === first.length
}

const sampleOf = (rows: Table, column: number): string[] => rows.slice(0, SAMPLE).flatMap((row) => row[column]?.trim() || [])

export function isNumeric(rows: Table, column: number): boolean {
  const cells = sampleOf(rows, column).filter((cell) => !isErrorText(cell))
  return cells.length > 0 && cells.every(isNumber)
}

const [MIN_WIDTH_PX, MAX_WIDTH_PX, LETTER_PX, EDGES_PX] = [72, 320, 7.6, 40]

/** Wide enough for most cells of the column, in px. */
export function widthOf(rows: Table, column: number, name: string): number {
  const longest = Math.max(name.length, ...sampleOf(rows, column).map(({ length }) => length))
  return Math.round(Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, longest * LETTER_PX + EDGES_PX)))
}

export type Sorting = { readonly column: number; readonly descending: boolean }
/** `column`: null for all of them. */
export type Filter = { readonly column: number | null; readonly text: string }

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Numbers come before texts, and empty cells last in both directions. */
function compare(a: string, b: string, sign: number): number {
  if (!a || !b) return Number(!a) - Number(!b)
  const [first, second] = [isNumber(a), isNumber(b)]
  if (first !== second) return (Number(second) - Number(first)) * sign
  return (first ? numberOf(a) - numberOf(b) : collator.compare(a, b)) * sign
}

const matches = (row: Row, { column, text }: Filter): boolean => {
  const query = text.toLocaleLowerCase()
  const has = (cell: string | undefined) => cell !== undefined && cell.toLocaleLowerCase().includes(query)
  return column === null ? row.some(has) : has(row[column])
}

/** The indexes of the rows from `first` on that are shown, in their order on screen. The table itself stays as it is. */
export function shownRows(table: Table, first: number, sorting: Sorting | null, filter: Filter): number[] {
  const all = Array.from({ length: Math.max(0, table.length - first) }, (_, index) => index + first)
  const rows = filter.text ? all.filter((index) => matches(table[index]!, filter)) : all
  if (!sorting) return rows
  const keys = new Map(rows.map((index) => [index, (table[index]![sorting.column] ?? '').trim()]))
  return rows.sort((a, b) => compare(keys.get(a)!, keys.get(b)!, sorting.descending ? -1 : 1) || a - b)
}
