// What a formula comes to. `@borgar/fx` reads it; this walks through what was read.
import { parse, parseA1Range, tokenize, type AstExpression } from '@borgar/fx'
import { callFunction, functionNamed } from './functions'
import { applyBinary, applyUnary } from './operators'
import { errors, isArea, type Area, type Value } from './values'

type Result = Value | Area
type Names = ReadonlyMap<string, Result>

/** What a formula sees of its sheet. Rows and columns count from 0. */
export type Sheet = {
  readonly rows: number
  readonly columns: number
  readonly row: number
  readonly column: number
  value(row: number, column: number): Value
}

/** Semicolons between arguments, as in countries with decimal commas, become commas. Texts and arrays keep theirs. */
const withCommas = (formula: string): string => formula.replace(/"(?:[^"]|"")*"|\{[^}]*\}|;/g, (piece) => (piece === ';' ? ',' : piece))

/** null: the formula can't be read. */
export function readFormula(formula: string): AstExpression | null {
  try {
    return parse(tokenize(withCommas(formula), { withLocation: false }))
  } catch {
    return null
  }
}

function areaOf(reference: string, sheet: Sheet): Result {
  const range = reference.includes('!') ? undefined : parseA1Range(reference)
  if (!range) return errors.ref
  const [top, left] = [range.top ?? 0, range.left ?? 0]
  const [bottom, right] = [Math.min(range.bottom ?? Infinity, sheet.rows - 1), Math.min(range.right ?? Infinity, sheet.columns - 1)]
  const isCell = range.top !== null && range.left !== null && range.top === range.bottom && range.left === range.right
  if (isCell) return sheet.value(top, left)
  return Array.from({ length: Math.max(0, bottom - top + 1) }, (_, row) => Array.from({ length: Math.max(0, right - left + 1) }, (__, column) => sheet.value(top + row, left + column)))
}

const one = (result: Result): Value => (isArea(result) ? (result[0]?.[0] ?? null) : result)

/** Those that look at a reference itself, or at only some of what they are given. */
const SPECIAL: Readonly<Record<string, (args: readonly (AstExpression | null)[], sheet: Sheet, names: Names) => Result>> = {
  IF([condition, then, otherwise], sheet, names) {
    const value = one(evaluate(condition, sheet, names))
    if (value instanceof Error) return value
    if (typeof value === 'string') return errors.value
    const [branch, missing] = value ? [then, true] : [otherwise, false]
    return branch === undefined ? missing : evaluate(branch, sheet, names)
  },
  IFERROR([value, otherwise], sheet, names) {
    const result = evaluate(value, sheet, names)
    return one(result) instanceof Error ? evaluate(otherwise, sheet, names) : result
  },
  IFNA([value, otherwise], sheet, names) {
    const result = evaluate(value, sheet, names)
    return one(result) === errors.na ? evaluate(otherwise, sheet, names) : result
  },
  ROW: ([reference], sheet) => placeOf(reference, sheet)?.row ?? errors.value,
  COLUMN: ([reference], sheet) => placeOf(reference, sheet)?.column ?? errors.value,
}

/** Where a reference begins, counted from 1; without one, where the formula stands. */
function placeOf(reference: AstExpression | null | undefined, sheet: Sheet): { readonly row: number; readonly column: number } | null {
  if (!reference) return { row: sheet.row + 1, column: sheet.column + 1 }
  const range = reference.type === 'ReferenceIdentifier' ? parseA1Range(reference.value) : undefined
  return range ? { row: (range.top ?? 0) + 1, column: (range.left ?? 0) + 1 } : null
}

function call(name: string, args: readonly (AstExpression | null)[], sheet: Sheet, names: Names): Result {
  const special = SPECIAL[name.toUpperCase()]
  if (special) return special(args, sheet, names)
  const run = functionNamed(name)
  return run ? callFunction(run, args.map((argument) => evaluate(argument, sheet, names))) : errors.name
}

/** `names`: what LET has named. */
export function evaluate(node: AstExpression | null | undefined, sheet: Sheet, names: Names = new Map()): Result {
  switch (node?.type) {
    case undefined:
      return null
    case 'Literal':
      return node.value
    case 'ErrorLiteral':
      return Object.values(errors).find(({ message }) => message === node.value) ?? errors.value
    case 'ReferenceIdentifier':
      return node.kind === 'name' ? (names.get(node.value.toUpperCase()) ?? errors.name) : areaOf(node.value, sheet)
    case 'UnaryExpression':
      return applyUnary(node.operator, evaluate(node.arguments[0], sheet, names))
    case 'BinaryExpression':
      return applyBinary(node.operator, evaluate(node.arguments[0], sheet, names), evaluate(node.arguments[1], sheet, names))
    case 'CallExpression':
      return node.callee.type === 'Identifier' ? call(node.callee.name, node.arguments, sheet, names) : errors.name
    case 'ArrayExpression':
      return node.elements.map((row) => row.map((element) => one(evaluate(element, sheet, names))))
    case 'LetExpression': {
      const scope = new Map(names)
      for (const { id, init } of node.declarations) scope.set(id.name.toUpperCase(), evaluate(init, sheet, scope))
      return evaluate(node.body, sheet, scope)
    }
    default:
      return errors.name
  }
}

/** What one cell shows of a result: of an area its first cell. */
export const resultOf = (node: AstExpression | null, sheet: Sheet): Value => (node ? one(evaluate(node, sheet)) : errors.syntax)
