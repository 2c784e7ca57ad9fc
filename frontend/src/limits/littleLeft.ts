import type { BudgetLeft } from '../api/generated'
import { money } from '../usage/money'

const LITTLE = 0.1
const PERIODS = { day: ' today', month: ' this month', total: '' }

/** Returns a sentence about the tightest budget when less than a tenth of it is left; else null. */
export function littleLeft(budgets: readonly BudgetLeft[]): string | null {
  const [tightest] = budgets.filter(({ amountUsd, leftUsd }) => leftUsd < amountUsd * LITTLE || leftUsd === 0).sort((a, b) => a.leftUsd - b.leftUsd)
  if (!tightest) return null
  const who = tightest.holder === 'organization' ? 'Your organization has' : 'You have'
  const left = tightest.leftUsd === 0 ? 'nothing left of the budget' : `${money(tightest.leftUsd)} left of the budget`
  return `${who} ${left}${PERIODS[tightest.period]}.`
}

/** `Begins anew on 1 December.`; empty for a budget in total. */
export function beginsAnew({ beginsAnew: day }: BudgetLeft): string {
  return day === null ? '' : `Begins anew on ${new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })}.`
}
