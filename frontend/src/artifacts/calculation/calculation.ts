// All formulas of a sheet.
import type { AstExpression } from '@borgar/fx'
import type { Table } from '../sheet/csv'
import { isFormula } from '../sheet/table'
import { readFormula, resultOf, type Sheet } from './evaluate'
import { errors, textOf, valueOf, type Value } from './values'

/** What a formula's cell shows. */
export type CalculatedCell = readonly [row: number, column: number, text: string]

/** Cells that wait for one another, as deep as the stack of any browser allows. */
const MAX_DEPTH = 400
const DECIMAL_COMMA = /^-?\d+,(?:\d{1,2}|\d{4,})$/

class TooDeep extends Error {
  constructor(readonly place: readonly [number, number]) {
    super()
  }
}

class Calculation {
  private readonly values = new Map<number, Value>()
  private underWay = new Set<number>()
  private maxUnderWay = MAX_DEPTH
  private readonly columns: number

  /** `read`: formulas that were read before. */
  constructor(
    private readonly table: Table,
    private readonly read: Map<string, AstExpression | null>,
  ) {
    this.columns = table.reduce((most, row) => Math.max(most, row.length), 0)
  }

  /** The value of a formula's cell, however long the chain of those is that it needs. */
  settle(row: number, column: number): Value {
    const waiting: (readonly [number, number])[] = [[row, column]]
    for (;;) {
      // What waits is under way too: a cell that needs one of them again needs itself.
      this.underWay = new Set(waiting.slice(0, -1).map((place) => this.keyOf(...place)))
      this.maxUnderWay = this.underWay.size + MAX_DEPTH
      try {
        const value = this.value(...waiting.at(-1)!)
        if (waiting.length === 1) return value
        waiting.pop()
      } catch (error) {
        if (!(error instanceof TooDeep)) throw error
        waiting.push(error.place)
      }
    }
  }

  private keyOf(row: number, column: number): number {
    return row * this.columns + column
  }

  private value(row: number, column: number): Value {
    const cell = this.table[row]?.[column] ?? ''
    if (!isFormula(cell)) return valueOf(cell)
    const key = this.keyOf(row, column)
    const entry = this.values.get(key)
    if (entry !== undefined) return entry
    if (this.underWay.has(key)) return errors.cycle
    if (this.underWay.size >= this.maxUnderWay) throw new TooDeep([row, column])
    this.underWay.add(key)
    const value = resultOf(this.formula(cell), this.sheetAt(row, column)) ?? 0 // a reference to an empty cell
    this.underWay.delete(key)
    this.values.set(key, value)
    return value
  }

  private sheetAt(row: number, column: number): Sheet {
    return { rows: this.table.length, columns: this.columns, row, column, value: (...place) => this.value(...place) }
  }

  private formula(cell: string): AstExpression | null {
    if (!this.read.has(cell)) this.read.set(cell, readFormula(cell))
    return this.read.get(cell)!
  }
}

/** What all cells with formulas show. Numbers have the decimal mark of the table's own. */
export function calculate(table: Table, read = new Map<string, AstExpression | null>()): readonly CalculatedCell[] {
  const calculation = new Calculation(table, read)
  const mark = table.some((row) => row.some((cell) => DECIMAL_COMMA.test(cell))) ? ',' : '.'
  return table.flatMap((cells, row) => cells.flatMap((cell, column) => (isFormula(cell) ? [[row, column, textOf(calculation.settle(row, column), mark)] as const] : [])))
}
