// What is left of the budgets that are the member's own.
import { useEffect, useState } from 'react'
import { request } from '../api/client'
import type { BudgetLeft, MessageLimits } from '../api/generated'
import { money } from '../usage/money'
import { beginsAnew } from './littleLeft'

const TITLES = { day: 'Your budget today', month: 'Your budget this month', total: 'Your budget' }
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
  return (
    <section aria-label={TITLES[period]} className="mt-3 rounded-xl border border-line px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h4 className="text-[12.5px] text-fg2">{TITLES[period]}</h4>
        <p className="text-[13.5px] tabular-nums">{`${money(leftUsd)} of ${money(amountUsd)} left`}</p>
      </div>
      <progress aria-label="Spent" className={`spent mt-2 ${leftUsd < amountUsd / 10 ? 'spent-bad' : ''}`} max={amountUsd || 1} value={amountUsd ? spent : 1} />
      <p className="mt-1 text-[12.5px] text-fg3">{beginsAnew(budget)} Ask an admin for more.</p>
    </section>
  )
}
