import { useEffect, useMemo, useState } from 'react'
import { trustedWorkerUrl } from '../../browser/trustedTypes'
import type { Table } from '../sheet/csv'
import { isFormula } from '../sheet/table'
import type { CalculatedCell } from './calculation'
import type { CalculationRequest, CalculationResponse } from './calculation.worker'
import workerUrl from './calculation.worker?worker&url'

const MAX_CALCULATION_MS = 5_000

/** `hasFormulas`: there is something to calculate. `isTooLong`: that was ended, and cells show their formulas. */
export type CalculatedTable = { readonly texts: Table; readonly hasFormulas: boolean; readonly isTooLong: boolean }

/** The table with the texts of `cells` in place of formulas; one that is not among them is empty. */
function withTexts(table: Table, cells: readonly CalculatedCell[]): Table {
  const texts = new Map(cells.map(([row, column, text]) => [`${row},${column}`, text]))
  return table.map((cells, row) => (cells.some(isFormula) ? cells.map((cell, column) => (isFormula(cell) ? (texts.get(`${row},${column}`) ?? '') : cell)) : cells))
}

/** The worker of one open sheet. It begins with the first formula; a newer table replaces one that it has not begun. */
class Calculator {
  private worker: Worker | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private lastId = 0
  private next: Table | undefined

  /** `onDone`: null when the time was up. */
  constructor(private readonly onDone: (cells: readonly CalculatedCell[] | null) => void) {}

  calculate(table: Table): void {
    if (this.timer) this.next = table
    else this.post(table)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.worker?.terminate()
    this.worker = undefined
  }

  private post(table: Table): void {
    const id = ++this.lastId
    this.worker ??= new Worker(trustedWorkerUrl(workerUrl), { type: 'module' })
    this.worker.onmessage = ({ data }: MessageEvent<CalculationResponse>) => data.id === id && this.finish(data.cells)
    this.timer = setTimeout(() => {
      this.stop()
      this.finish(null)
    }, MAX_CALCULATION_MS)
    this.worker.postMessage({ id, table } satisfies CalculationRequest)
  }

  private finish(cells: readonly CalculatedCell[] | null): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.onDone(cells)
    const { next } = this
    this.next = undefined
    if (next) this.post(next)
  }
}

/** The table with what its formulas come to, which is a moment later than the table itself. Until then cells show what they showed before. */
export function useCalculation(table: Table): CalculatedTable {
  const [calculator, setCalculator] = useState<Calculator | null>(null)
  const [cells, setCells] = useState<readonly CalculatedCell[] | null>([])
  const hasFormulas = useMemo(() => table.some((row) => row.some(isFormula)), [table])
  useEffect(() => {
    if (!hasFormulas) return undefined
    const started = new Calculator(setCells)
    setCalculator(started)
    return () => started.stop()
  }, [hasFormulas])
  useEffect(() => {
    if (hasFormulas) calculator?.calculate(table)
  }, [calculator, hasFormulas, table])
  return useMemo(() => ({ texts: hasFormulas && cells ? withTexts(table, cells) : table, hasFormulas, isTooLong: hasFormulas && cells === null }), [table, hasFormulas, cells])
}
