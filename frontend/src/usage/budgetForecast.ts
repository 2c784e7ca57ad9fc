// How long a month's budget lasts. Pure.
import type { RemainingBudget } from '../api/generated'

const DAY_MS = 86_400_000

/** The day (UTC) on which the budget is used up when spending goes on like this; null: not within this month, or it is too early to say. */
export function lastDay({ spentUsd, leftUsd, beginsAnew }: RemainingBudget, now: number): string | null {
  const date = new Date(now)
  const elapsed = now - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  if (beginsAnew === null || elapsed < DAY_MS || spentUsd <= 0 || leftUsd <= 0) return null
  const end = now + (leftUsd / spentUsd) * elapsed
  return end < Date.parse(`${beginsAnew}T00:00:00Z`) ? new Date(end).toISOString().slice(0, 10) : null
}
