// What formulas count with: what a cell holds, and how a result is written.
import { utils } from '@formulajs/formulajs'
import { isNumber, numberOf } from '../sheet/columns'

/** null: an empty cell. */
export type Value = number | string | boolean | Date | Error | null
/** An area: its rows. */
export type Area = readonly (readonly Value[])[]

const libraryErrors = utils.errors as Record<'div0' | 'value' | 'ref' | 'name' | 'num' | 'na', Error>
/** The library compares its errors by identity, so that these have to be its own. */
export const errors = { ...libraryErrors, cycle: new Error('#CYCLE!'), syntax: new Error('#ERROR!') }

const DAY_MS = 86_400_000
/** Day 0 of spreadsheets. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const WITH_LETTERS = /[a-z]/i
const SIGNIFICANT_DIGITS = 15

export const isArea = (result: Value | Area): result is Area => Array.isArray(result)
const isLogical = (cell: string): boolean => /^(?:true|false)$/i.test(cell)

/** What a cell without a formula holds. A number with a unit, such as 5 kg, is text. */
export function valueOf(cell: string): Value {
  const text = cell.trim()
  if (text === '') return null
  if (isLogical(text)) return text.toLowerCase() === 'true'
  const number = isNumber(text) && !WITH_LETTERS.test(text.replace(/e[+-]?\d+$/i, '')) ? numberOf(text.replace('%', '')) : NaN
  return Number.isNaN(number) ? cell : text.endsWith('%') ? number / 100 : number
}

const pad = (part: number): string => String(part).padStart(2, '0')

function dateText(date: Date): string {
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return date.getHours() || date.getMinutes() ? `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}` : day
}

/** How a value is shown. `mark`: the decimal mark. */
export function textOf(value: Value, mark = '.'): string {
  if (value === null) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(SIGNIFICANT_DIGITS))).replace('.', mark) : errors.num.message
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? errors.value.message : dateText(value)
  return value instanceof Error ? value.message : value
}

/** The date in a value, or in a text such as 2026-03-01. */
export function dateOf(value: Value): Date | null {
  const [, year, month, day] = (typeof value === 'string' && DATE.exec(value)) || []
  return value instanceof Date ? value : year ? new Date(Number(year), Number(month) - 1, Number(day)) : null
}

const serialOf = (date: Date): number => (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes()) - EPOCH_MS) / DAY_MS

export function dateFrom(serial: number): Date {
  const date = new Date(Math.round(serial * DAY_MS) + EPOCH_MS)
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes())
}

/** The number that a value counts as in a calculation, or the error that it makes of it. */
export function numberFrom(value: Value): number | Error {
  if (value === null) return 0
  if (value instanceof Error || typeof value === 'number') return value
  const date = dateOf(value)
  if (date) return serialOf(date)
  const meant = typeof value === 'string' ? valueOf(value) : Number(value)
  return typeof meant === 'number' ? meant : errors.value
}
