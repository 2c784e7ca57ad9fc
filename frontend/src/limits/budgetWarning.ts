import { t } from '@lingui/core/macro'
import type { RemainingBudget } from '../api/generated'
import { dateText } from '../language/formats'
import { money } from '../usage/money'

const LITTLE = 0.1

/** Returns a sentence about the tightest budget when less than a tenth of it is left; else null. */
export function budgetWarning(budgets: readonly RemainingBudget[]): string | null {
  const [tightest] = budgets.filter(({ amountUsd, leftUsd }) => leftUsd < amountUsd * LITTLE || leftUsd === 0).sort((a, b) => a.leftUsd - b.leftUsd)
  if (!tightest) return null
  const budget = budgetOf(tightest)
  const isOrganizations = tightest.holder === 'organization'
  if (tightest.leftUsd === 0) return isOrganizations ? t`Your organization has used up ${budget}.` : t`You have used up ${budget}.`
  const left = money(tightest.leftUsd)
  return isOrganizations ? t`Your organization has ${left} left of ${budget}.` : t`You have ${left} left of ${budget}.`
}

function budgetOf({ period }: RemainingBudget): string {
  if (period === 'day') return t`the budget today`
  return period === 'month' ? t`the budget this month` : t`the budget`
}

/** `Resets on 1 December.`; empty for a budget in total. */
export function beginsAnew({ beginsAnew: start }: RemainingBudget): string {
  if (start === null) return ''
  const day = dateText(`${start}T00:00:00Z`, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return t`Resets on ${day}.`
}
