// Measures in words. Pure.
import { numberText } from './formats'

/** `4.2`, `4.0`. */
export const oneDecimal = (value: number): string => numberText(value, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false })

/** Formats a time as `840 ms`, `4.2 s` or `1 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${oneDecimal(ms / 1000)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
