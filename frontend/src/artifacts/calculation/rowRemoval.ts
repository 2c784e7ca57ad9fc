import { parseA1Ref, stringifyA1Ref, tokenize, type RangeA1 } from '@borgar/fx'
import type { Table } from '../sheet/csv'
import { isFormula } from '../sheet/table'

/** The range once row `at` is gone; null: nothing of it is left. */
function rangeWithout(at: number, range: RangeA1): RangeA1 | null {
  const { top, bottom } = range
  if (typeof top !== 'number' || typeof bottom !== 'number') return range // whole columns
  if (top === at && bottom === at) return null
  return { ...range, top: top > at ? top - 1 : top, bottom: bottom >= at ? bottom - 1 : bottom }
}

function withoutRowInReference(at: number, reference: string): string {
  if (reference.includes('!')) return reference // of another sheet
  const parsed = parseA1Ref(reference, { allowNamed: false })
  if (!parsed || !('range' in parsed)) return reference
  const range = rangeWithout(at, parsed.range)
  return range ? (range === parsed.range ? reference : stringifyA1Ref({ ...parsed, range })) : '#REF!'
}

const withoutRowInFormula = (at: number, formula: string): string =>
  tokenize(formula, { withLocation: false })
    .map(({ type, value }) => (type === 'range' || type === 'range_beam' ? withoutRowInReference(at, value) : value))
    .join('')

/** The table with its formulas as they have to be once row `at` is gone. Rows without a changed formula stay the same objects. */
export const withoutRowInFormulas = (table: Table, at: number): Table =>
  table.map((row) => {
    const next = row.map((cell) => (isFormula(cell) ? withoutRowInFormula(at, cell) : cell))
    return next.some((cell, column) => cell !== row[column]) ? next : row
  })
