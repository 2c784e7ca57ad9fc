// What is left of the budgets that are the member's own.
import { useEffect, useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { request } from '../api/client'
import type { BudgetLeft, MessageLimits } from '../api/generated'
import { money } from '../usage/money'
import { beginsAnew } from './littleLeft'

const TITLES = { day: msg`Your budget today`, month: msg`Your budget this month`, total: msg`Your budget` }
const NONE: readonly BudgetLeft[] = []

/** Shows nothing as long as there is none, or it can't be read. */
export function BudgetsLeft() {
  const [budgets, setBudgets] = useState(NONE)
  useEffect(() => {
    request<MessageLimits>('GET', 'limits/').then(
      (found) => setBudgets(found.budgets.filter(({ holder }) => holder === 'member')),
      () => setBudgets(NONE),
    )
  }, [])
  return budgets.map((budget) => <Budget key={budget.period} budget={budget} />)
}

function Budget({ budget }: { budget: BudgetLeft }) {
  const { amountUsd, leftUsd, period } = budget
  const spent = amountUsd - leftUsd
  const title = t(TITLES[period])
  const [left, amount] = [money(leftUsd), money(amountUsd)]
  return (
    <section aria-label={title} className="mt-3 rounded-xl border border-line px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h4 className="text-[12.5px] text-fg2">{title}</h4>
        <p className="text-[13.5px] tabular-nums">{t`${left} of ${amount} left`}</p>
      </div>
      <progress aria-label={t`Spent`} className={`spent mt-2 ${leftUsd < amountUsd / 10 ? 'spent-bad' : ''}`} max={amountUsd || 1} value={amountUsd ? spent : 1} />
      <p className="mt-1 text-[12.5px] text-fg3">{beginsAnew(budget)} <Trans>Ask an admin for more.</Trans></p>
    </section>
  )
}
