import type { Table } from './csv'

const MIN_COLUMNS = 3

/** How many columns to show: as many as the longest row has. */
export const columnCount = (table: Table): number => table.reduce((most, row) => Math.max(most, row.length), MIN_COLUMNS)

/** A, B, … Z, AA, as in every spreadsheet. */
export const columnLetter = (index: number): string => (index >= 26 ? columnLetter(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))

const padRow = (row: readonly string[], width: number): string[] => Array.from({ length: Math.max(width, row.length) }, (_, index) => row[index] ?? '')

/** The row with `cells` in place of its own from `column` on. */
export const withCells = (row: readonly string[], column: number, cells: readonly string[]): string[] => padRow(row, column + cells.length).toSpliced(column, cells.length, ...cells)

/** The table with a block of cells written into it. It grows if the block does not fit. */
export function withBlock(table: Table, at: number, column: number, block: Table): Table {
  const rows = Math.max(table.length, at + block.length)
  return Array.from({ length: rows }, (_, index) => {
    const row = table[index] ?? []
    const cells = block[index - at]
    return cells ? withCells(row, column, cells) : row
  })
}

export const withRow = (table: Table): Table => [...table, padRow([], columnCount(table))]
export const withColumn = (table: Table): Table => (table.length ? table : [[]]).map((row) => [...padRow(row, columnCount(table)), ''])
