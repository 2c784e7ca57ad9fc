// What there is to say of one budget: whose it is, what is left of it, and when it begins anew.
import { msg, t } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { RemainingBudget } from '../api/generated'
import { dateText } from '../language/formats'
import { money } from '../usage/money'

type Titles = Record<RemainingBudget['period'], MessageDescriptor>
const OWN: Titles = { day: msg`Your budget today`, month: msg`Your budget this month`, total: msg`Your budget` }
const OF_ORGANIZATION: Titles = { day: msg`Your organization’s budget today`, month: msg`Your organization’s budget this month`, total: msg`Your organization’s budget` }

/** `Your budget this month`, or with the name of a group, as a member can be in several. */
export function budgetTitle({ holder, group, period }: RemainingBudget): string {
  if (holder !== 'group') return t((holder === 'organization' ? OF_ORGANIZATION : OWN)[period])
  if (period === 'total') return t`Budget of ${group}`
  return period === 'day' ? t`Budget of ${group} today` : t`Budget of ${group} this month`
}

/** The share that is used, from 0 to 1. A budget that allows nothing is used up. */
export const usedOf = ({ amountUsd, leftUsd }: RemainingBudget): number => (leftUsd <= 0 ? 1 : 1 - leftUsd / amountUsd)

export const isUsedUp = (budget: RemainingBudget): boolean => usedOf(budget) === 1
export const isLow = (budget: RemainingBudget): boolean => usedOf(budget) > 0.9

const LONGEST_FIRST: readonly RemainingBudget['period'][] = ['total', 'month', 'day']

/** The budget of which the least is left; of several used up, the one that stays so longest. */
export function tightest(budgets: readonly RemainingBudget[]): RemainingBudget | undefined {
  const rank = ({ amountUsd, period }: RemainingBudget): number => (amountUsd === 0 ? -1 : LONGEST_FIRST.indexOf(period))
  return [...budgets].sort((a, b) => a.leftUsd - b.leftUsd || rank(a) - rank(b))[0]
}

/** By how much more than the budget was spent, in words; empty if it was not. */
export function overdrawnBy({ amountUsd, spentUsd }: RemainingBudget): string {
  return amountUsd > 0 && spentUsd > amountUsd ? money(spentUsd - amountUsd) : ''
}

/** `$3.00 of $5.00 left`, of amounts in words. */
export const leftOf = (left: string, amount: string): string => t`${left} of ${amount} left`

/** `$3.00 of $5.00 left`, `Used up`, `Used up, $0.40 over $5.00`. */
export function leftText(budget: RemainingBudget): string {
  const [amount, over] = [money(budget.amountUsd), overdrawnBy(budget)]
  if (!isUsedUp(budget)) return leftOf(money(budget.leftUsd), amount)
  return over ? t`Used up, ${over} over ${amount}` : t`Used up`
}

/** The first day of the next period; empty if there is none, or if the budget allows nothing then either. */
export function newStart({ amountUsd, beginsAnew: start }: RemainingBudget): string {
  return start && amountUsd > 0 ? dateText(`${start}T00:00:00Z`, { day: 'numeric', month: 'long', timeZone: 'UTC' }) : ''
}

/** `Resets on 1 December.`; empty for a budget in total. */
export function beginsAnew(budget: RemainingBudget): string {
  const day = newStart(budget)
  return day && t`Resets on ${day}.`
}
