import { t } from '@lingui/core/macro'
import type { RemainingBudget } from '../api/generated'
import { dateText } from '../language/formats'
import { money } from '../usage/money'
import { isUsedUp, newStart, tightest, usedOf } from './budgetTexts'

/** The share that is used when it is first said, and when it becomes urgent. */
const SAID_FROM = 0.75
const URGENT_FROM = 0.95

/** `usedShare`: the share, from 0 to 1. */
export type BudgetWarning = { readonly text: string; readonly usedShare: number; readonly urgent: boolean }

/** What to say about the tightest budget when three quarters of it are used; else null. */
export function budgetWarning(budgets: readonly RemainingBudget[]): BudgetWarning | null {
  const budget = tightest(budgets.filter((each) => usedOf(each) >= SAID_FROM))
  if (!budget) return null
  const usedShare = usedOf(budget)
  return { text: budget.amountUsd === 0 ? nothingText(budget) : isUsedUp(budget) ? spentText(budget) : leftText(budget), usedShare, urgent: usedShare >= URGENT_FROM }
}

function leftText(budget: RemainingBudget): string {
  const left = money(budget.leftUsd)
  const amount = money(budget.amountUsd)
  const day = newStart(budget)
  if (budget.holder === 'organization') return day ? t`${left} of your organization’s ${amount} left until ${day}` : t`${left} of your organization’s ${amount} left`
  if (budget.holder === 'group') return day ? t`${left} of your group’s ${amount} left until ${day}` : t`${left} of your group’s ${amount} left`
  return day ? t`${left} of your ${amount} left until ${day}` : t`${left} of your ${amount} left`
}

function spentText(budget: RemainingBudget): string {
  const amount = money(budget.amountUsd)
  const period = periodOf(budget)
  const day = newStart(budget)
  if (budget.holder === 'organization') return period ? t`Your organization’s ${amount} for ${period} is used up. It starts again on ${day}.` : t`Your organization’s ${amount} is used up.`
  if (budget.holder === 'group') return period ? t`Your group’s ${amount} for ${period} is used up. It starts again on ${day}.` : t`Your group’s ${amount} is used up.`
  return period ? t`Your ${amount} for ${period} is used up. It starts again on ${day}.` : t`Your ${amount} is used up.`
}

function nothingText({ holder }: RemainingBudget): string {
  if (holder === 'organization') return t`Your organization’s budget allows nothing. Ask an admin.`
  return holder === 'group' ? t`Your group’s budget allows nothing. Ask an admin.` : t`Your budget allows nothing. Ask an admin.`
}

/** `today`, or the month that the budget is for; empty for one in total. */
function periodOf({ period, beginsAnew: start }: RemainingBudget): string {
  if (!start) return ''
  if (period === 'day') return t`today`
  return dateText(Date.parse(`${start}T00:00:00Z`) - 1, { month: 'long', timeZone: 'UTC' })
}
