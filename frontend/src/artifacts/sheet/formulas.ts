// Cells that a spreadsheet would run as formulas (OWASP, CSV injection). security/csv_cells.py does the same on the server.
import { parseCsv, separatorOf, writeCsv } from './csv'

// Spreadsheets skip white space and read full-width characters as well.
const FORMULA = /^(?:[\s\uFEFF\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/
const NUMBER = /^\s*[+-]?[\d.,' ]*\d\s*(?:%|[a-z€$£]{1,3})?\s*$/i

const isFormula = (cell: string): boolean => FORMULA.test(cell) && !NUMBER.test(cell)

export const hasFormula = (csv: string): boolean => /[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(csv) && parseCsv(csv).some((row) => row.some(isFormula))

/** The table with an apostrophe before each formula, so that spreadsheets show it as text; the same text when it has none. */
export function escapeFormulas(csv: string): string {
  if (!hasFormula(csv)) return csv
  const separator = separatorOf(csv.replace(/^\uFEFF/, ''))
  const rows = parseCsv(csv, separator)
  return writeCsv(
    rows.map((row) => row.map((cell) => (isFormula(cell) ? `'${cell}` : cell))),
    separator,
  )
}
