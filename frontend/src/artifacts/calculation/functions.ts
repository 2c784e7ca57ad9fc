// The functions of formulas. Nearly all are those of formulajs, which takes values and areas, and gives values, areas or errors.
import * as library from '@formulajs/formulajs'
import { errors, type Area, type Value } from './values'

type SheetFunction = (...args: readonly (Value | Area)[]) => Value | Area

/** Names without their ending, as old files have them. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  CONFIDENCE: 'CONFIDENCE.NORM', MODE: 'MODE.SNGL', PERCENTILE: 'PERCENTILE.INC', PERCENTRANK: 'PERCENTRANK.INC', POISSON: 'POISSON.DIST',
  QUARTILE: 'QUARTILE.INC', RANK: 'RANK.EQ', STDEV: 'STDEV.S', VAR: 'VAR.S', WEIBULL: 'WEIBULL.DIST',
}
/** What spreadsheets allow in a cell. */
const MAX_TEXT_CHARS = 32_767

/** Of a name with dots, such as STDEV.S, the library has one function in another. */
function find(name: string): unknown {
  let member: unknown = library
  for (const part of name.split('.')) member = member !== null && ['object', 'function'].includes(typeof member) && Object.hasOwn(member as object, part) ? (member as Record<string, unknown>)[part] : undefined
  return member
}

/** The library's function of this name; undefined: there is none. */
export function functionNamed(name: string): SheetFunction | undefined {
  const plain = name.toUpperCase().replace(/^_XL(?:FN|WS)\./, '')
  const member = plain === 'UTILS' ? undefined : find(OLD_NAMES[plain] ?? plain)
  return typeof member === 'function' ? (member as SheetFunction) : undefined
}

/** What the function returns. What it can't do is an error, as in spreadsheets. */
export function callFunction(run: SheetFunction, args: readonly (Value | Area)[]): Value | Area {
  try {
    const result = run(...args) as Value | Area | readonly Value[] | undefined
    if (result === undefined) return errors.value
    if (typeof result === 'string' && result.length > MAX_TEXT_CHARS) return errors.value
    if (typeof result === 'number' && Number.isNaN(result)) return errors.num
    return Array.isArray(result) && !Array.isArray(result[0]) ? [result as readonly Value[]] : (result as Value | Area)
  } catch {
    return errors.value
  }
}
