import { useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import type { UsageSummary } from '../api/generated'
import { BudgetsLeft } from '../limits/BudgetsLeft'
import { goToUsage } from '../navigation/router'
import { ErrorLine } from '../ui/FormDialog'
import { knownCost, short, sumOf, tokensOf } from '../usage/figures'
import { monthName, periodOf } from '../usage/period'
import { fetchUsageSummary } from '../usage/usageApi'
import { leaveSettings } from './address'
import { SettingRow } from '../ui/SettingRow'

/** The figures of this month, what is left of the budgets, and the way to all figures. */
export function UsageSection() {
  const [now] = useState(() => Date.now())
  const [summary, setSummary] = useState<UsageSummary>()
  const [error, setError] = useState('')
  useEffect(() => {
    const { first, last } = periodOf('month', now)
    fetchUsageSummary(first, last).then(setSummary, (problem: unknown) => setError(errorMessage(problem)))
  }, [now])
  const openPage = () => {
    goToUsage()
    leaveSettings()
  }
  return (
    <>
      {error ? <ErrorLine text={error} /> : summary ? <Figures summary={summary} month={monthName(now)} /> : <div role="status" aria-label="Loading your usage" className="skeleton mt-2 h-24" />}
      <BudgetsLeft />
      <SettingRow title="Days, models and conversations" says="The page “My usage” shows where it went, and saves it as CSV.">
        <button type="button" className="btn" onClick={openPage}>
          Open
        </button>
      </SettingRow>
    </>
  )
}

function Figures({ summary, month }: { summary: UsageSummary; month: string }) {
  const total = sumOf(summary.days)
  const figures = [
    ['Spent', total.calls === 0 ? '$0.00' : (knownCost(total) ?? 'Unknown')],
    ['Answers', short(total.answers)],
    ['Tokens', short(tokensOf(total))],
  ]
  return (
    <dl aria-label={`Used in ${month}`} className="mt-2 grid grid-cols-3 gap-3">
      {figures.map(([name, value]) => (
        <div key={name} className="rounded-xl border border-line px-4 py-3">
          <dt className="text-[12.5px] text-fg2">{`${name} in ${month}`}</dt>
          <dd className="mt-0.5 text-[20px] font-[680] tabular-nums tracking-[-0.02em]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
