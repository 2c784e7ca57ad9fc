// Below the tools of a sheet: what is written in the chosen cell, and why a formula has no result.
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import type { Table } from './csv'
import { columnLetter, isFormula } from './table'

/** `at`: the row's index in the table. */
export type ChosenCell = { readonly at: number; readonly column: number }

function reasonOf(error: string): string {
  switch (error) {
    case '#DIV/0!':
      return t`Division by zero, or no numbers to divide.`
    case '#VALUE!':
      return t`A value has the wrong type, such as text instead of a number.`
    case '#REF!':
      return t`A cell it needs was deleted, or is in another sheet.`
    case '#NAME?':
      return t`There is no function or name like this.`
    case '#NUM!':
      return t`The result isn’t a number, or is too large.`
    case '#N/A':
      return t`Not found.`
    case '#CYCLE!':
      return t`The formula needs its own result.`
    case '#ERROR!':
      return t`The formula can’t be read. Check brackets and commas.`
    default:
      return ''
  }
}

type Props = { cell: ChosenCell | null; table: Table; texts: Table; isTooLong: boolean }

/** It stays while the sheet has formulas, so that no cell moves under the pointer. */
export function FormulaBar({ cell, table, texts, isTooLong }: Props) {
  const source = (cell && table[cell.at]?.[cell.column]) ?? ''
  const reason = cell && isFormula(source) ? reasonOf(texts[cell.at]?.[cell.column] ?? '') : ''
  return (
    <div className="flex h-8 shrink-0 items-center gap-3 border-b border-line px-3 text-[12.5px]">
      <span className="shrink-0 text-fg3">{cell && cell.column >= 0 ? `${columnLetter(cell.column)}${cell.at + 1}` : <Trans>No cell</Trans>}</span>
      <code className="min-w-0 truncate font-mono" title={source}>
        {source}
      </code>
      <span role="status" className={`min-w-0 truncate ${isTooLong ? 'text-warn' : 'text-bad'}`} title={reason}>
        {isTooLong ? <Trans>These formulas take too long to calculate, so they are shown as text.</Trans> : reason}
      </span>
    </div>
  )
}
