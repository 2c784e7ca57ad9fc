// Calculates outside the main thread: a formula that never ends holds nothing up.
import type { AstExpression } from '@borgar/fx'
import type { Table } from '../sheet/csv'
import { calculate, type CalculatedCell } from './calculation'

export type CalculationRequest = { readonly id: number; readonly table: Table }
export type CalculationResponse = { readonly id: number; readonly cells: readonly CalculatedCell[] }

const MAX_KEPT = 200_000
const read = new Map<string, AstExpression | null>()

onmessage = ({ data: { id, table } }: MessageEvent<CalculationRequest>) => {
  if (read.size > MAX_KEPT) read.clear()
  postMessage({ id, cells: calculate(table, read) } satisfies CalculationResponse)
}
