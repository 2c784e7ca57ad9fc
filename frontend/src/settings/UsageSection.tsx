import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { UsageSummary } from '../api/generated'
import { RemainingLimits, useRemaining } from '../limits/RemainingLimits'
import { goToUsage } from '../navigation/router'
import { ErrorLine } from '../ui/FormDialog'
import { knownCost, short, sumOf, tokensOf } from '../usage/figures'
import { money } from '../usage/money'
import { monthName, periodOf } from '../usage/period'
import { fetchUsageSummary } from '../usage/usageApi'
import { leaveSettings } from './address'
import { SettingRow } from '../ui/SettingRow'

/** The figures of this month, what is left of the budgets and limits, and the way to all figures. */
export function UsageSection() {
  const [now] = useState(() => Date.now())
  const [summary, setSummary] = useState<UsageSummary>()
  const [error, setError] = useState('')
  const limits = useRemaining()
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
      {error ? <ErrorLine text={error} /> : summary ? <Figures summary={summary} month={monthName(now)} /> : <div role="status" aria-label={t`Loading your usage`} className="skeleton mt-2 h-24" />}
      <div className="mt-3">
        <RemainingLimits of={limits} />
      </div>
      <SettingRow title={t`Days, models and conversations`} says={t`The page “My usage” shows where it went, and saves it as CSV.`}>
        <button type="button" className="btn" onClick={openPage}>
          <Trans>Open</Trans>
        </button>
      </SettingRow>
    </>
  )
}

function Figures({ summary, month }: { summary: UsageSummary; month: string }) {
  const total = sumOf(summary.days)
  const figures = [
    [t`Spent in ${month}`, total.calls === 0 ? money(0) : (knownCost(total) ?? t`Unknown`)],
    [t`Answers in ${month}`, short(total.answers)],
    [t`Tokens in ${month}`, short(tokensOf(total))],
  ]
  return (
    <dl aria-label={t`Used in ${month}`} className="mt-2 grid grid-cols-3 gap-3 max-sm:gap-2">
      {figures.map(([name, value]) => (
        <div key={name} className="rounded-xl border border-line px-4 py-3 max-sm:px-3">
          <dt className="text-[12.5px] text-fg2">{name}</dt>
          <dd className="mt-0.5 text-[20px] font-[680] max-sm:text-[17px] tabular-nums tracking-[-0.02em]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
