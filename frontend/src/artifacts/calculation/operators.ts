// The operators of formulas, for values and for areas, which are taken cell by cell.
import { dateFrom, dateOf, errors, isArea, numberFrom, textOf, type Area, type Value } from './values'

type Binary = (left: Value, right: Value) => Value
type Arithmetic = (left: number, right: number) => Value

const count =
  (run: Arithmetic): Binary =>
  (left, right) => {
    const [a, b] = [numberFrom(left), numberFrom(right)]
    return a instanceof Error ? a : b instanceof Error ? b : run(a, b)
  }

/** A date and a number of days are a date. */
const countDays =
  (run: Arithmetic): Binary =>
  (left, right) => {
    const result = count(run)(left, right)
    return typeof result === 'number' && dateOf(left) && !dateOf(right) ? dateFrom(result) : result
  }

const firstError = (...values: readonly Value[]): Error | undefined => values.find((value) => value instanceof Error)

/** Numbers come before texts, and texts before TRUE and FALSE. */
const rank = (value: Value): number => (typeof value === 'string' && !dateOf(value) ? 1 : typeof value === 'boolean' ? 2 : 0)

function order(left: Value, right: Value): number {
  const [a, b] = [left ?? (typeof right === 'string' ? '' : null), right ?? (typeof left === 'string' ? '' : null)]
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (rank(a) === 1) return String(a).localeCompare(String(b), undefined, { sensitivity: 'accent' })
  return Number(numberFrom(a)) - Number(numberFrom(b))
}

const compare =
  (holds: (order: number) => boolean): Binary =>
  (left, right) =>
    firstError(left, right) ?? holds(order(left, right))

const BINARY: Readonly<Record<string, Binary>> = {
  '+': countDays((a, b) => a + b),
  '-': countDays((a, b) => a - b),
  '*': count((a, b) => a * b),
  '/': count((a, b) => (b === 0 ? errors.div0 : a / b)),
  '^': count((a, b) => (Number.isNaN(a ** b) ? errors.num : a ** b)),
  '&': (left, right) => firstError(left, right) ?? textOf(left) + textOf(right),
  '=': compare((order) => order === 0),
  '<>': compare((order) => order !== 0),
  '<': compare((order) => order < 0),
  '<=': compare((order) => order <= 0),
  '>': compare((order) => order > 0),
  '>=': compare((order) => order >= 0),
}

const unary = (factor: number) => (value: Value) => count((a, b) => a * b)(value, factor)
const UNARY: Readonly<Record<string, (value: Value) => Value>> = { '+': (value) => value, '-': unary(-1), '%': unary(1 / 100), '@': (value) => value }

/** A cell of the result: a single row, column or value stands for all of them. */
const at = (side: Value | Area, row: number, column: number): Value => {
  if (!isArea(side)) return side
  const cells = side[side.length === 1 ? 0 : row]
  const cell = cells?.[cells.length === 1 ? 0 : column]
  return cell === undefined ? errors.na : cell
}

const sizeOf = (side: Value | Area): readonly [number, number] => (isArea(side) ? [side.length, side[0]?.length ?? 0] : [1, 1])

export function applyBinary(operator: string, left: Value | Area, right: Value | Area): Value | Area {
  const run = BINARY[operator]
  if (!run) return errors.value
  if (!isArea(left) && !isArea(right)) return run(left, right)
  const [[rows, columns], [otherRows, otherColumns]] = [sizeOf(left), sizeOf(right)]
  return Array.from({ length: Math.max(rows, otherRows) }, (_, row) =>
    Array.from({ length: Math.max(columns, otherColumns) }, (__, column) => run(at(left, row, column), at(right, row, column))),
  )
}

export function applyUnary(operator: string, value: Value | Area): Value | Area {
  const run = UNARY[operator]
  if (!run) return errors.value
  return isArea(value) ? value.map((cells) => cells.map(run)) : run(value)
}
