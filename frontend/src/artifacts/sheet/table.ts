import type { Table } from './csv'

const MIN_COLUMNS = 3

/** Whether the cell shows what it comes to, and not its text. */
export const isFormula = (cell: string): boolean => cell.length > 1 && cell.startsWith('=')

/** Errors are written as in other spreadsheets. */
const ERROR = /^#(?:DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|NULL!|CYCLE!|ERROR!)$/
export const isErrorText = (text: string): boolean => ERROR.test(text)

/** How many columns to show: as many as the longest row has. */
export const columnCount = (table: Table): number => table.reduce((most, row) => Math.max(most, row.length), MIN_COLUMNS)

/** A, B, … Z, AA, as in every spreadsheet. */
export const columnLetter = (index: number): string => (index >= 26 ? columnLetter(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))

const padRow = (row: readonly string[], width: number): string[] => Array.from({ length: Math.max(width, row.length) }, (_, index) => row[index] ?? '')

/** The row with `cells` in place of its own from `column` on. */
export const withCells = (row: readonly string[], column: number, cells: readonly string[]): string[] => padRow(row, column + cells.length).toSpliced(column, cells.length, ...cells)

/** The table with a block of cells written into the rows at `places`. What does not fit becomes new rows at the end. */
export function withBlock(table: Table, places: readonly number[], column: number, block: Table): Table {
  const rows = [...table]
  block.forEach((cells, index) => {
    const at = places[index] ?? rows.length
    rows[at] = withCells(rows[at] ?? [], column, cells)
  })
  return rows
}

export const withRow = (table: Table): Table => [...table, padRow([], columnCount(table))]
export const withColumn = (table: Table): Table => (table.length ? table : [[]]).map((row) => [...padRow(row, columnCount(table)), ''])
export const withoutRow = (table: Table, at: number): Table => table.toSpliced(at, 1)
