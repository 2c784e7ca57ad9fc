// What is left of the budgets that pay for the member's messages, and of the member's own limits.
import { type ReactNode, useEffect, useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { request } from '../api/client'
import type { RemainingBudget, RemainingLimit, Limits } from '../api/generated'
import { beginsAnew, budgetTitle, isLow, leftOf, leftText, usedOf } from './budgetTexts'
import { amountOf, isKnown, isLittle, timeText } from './limitWarning'

const TITLES = {
  messages: { minute: msg`Messages in a minute`, hour: msg`Messages in an hour`, day: msg`Messages in a day`, month: msg`Messages in 30 days` },
  runs: { minute: msg`Answers in a minute`, hour: msg`Answers in an hour`, day: msg`Answers in a day`, month: msg`Answers in 30 days` },
  tokens: { minute: msg`Tokens in a minute`, hour: msg`Tokens in an hour`, day: msg`Tokens in a day`, month: msg`Tokens in 30 days` },
  cost: { minute: msg`Cost in a minute`, hour: msg`Cost in an hour`, day: msg`Cost in a day`, month: msg`Cost in 30 days` },
}
const NONE: Limits = { limits: [], budgets: [] }

/** None as long as they can't be read. Limits of others than the member are left out: they say nothing of what the member used. */
export function useRemaining(): Limits {
  const [ownLimits, setOwnLimits] = useState(NONE)
  useEffect(() => {
    request<Limits>('GET', 'limits/').then(
      ({ budgets, limits }) => setOwnLimits({ budgets, limits: limits.filter(({ holder }) => holder === 'member') }),
      () => setOwnLimits(NONE),
    )
  }, [])
  return ownLimits
}

/** Shows nothing where there are none. Several groups can have a budget of a period each, in the order of the server. */
export function RemainingLimits({ of: { budgets, limits } }: { of: Limits }) {
  if (budgets.length + limits.length === 0) return null
  return (
    <div className="rounded-xl border border-line bg-raise px-4 py-1">
      {budgets.map((budget, place) => <Budget key={place} budget={budget} />)}
      {limits.map((limit) => <Limit key={`${limit.measure} ${limit.window}`} limit={limit} />)}
    </div>
  )
}

function Limit({ limit }: { limit: RemainingLimit }) {
  if (!isKnown(limit)) return null
  const { measure, window, count, left, resetsInS } = limit
  const wait = timeText(resetsInS)
  return (
    <RemainingBar
      title={t(TITLES[measure][window])}
      words={leftOf(amountOf(measure, left), amountOf(measure, count))}
      label={t`Used`}
      isLow={isLittle(limit)}
      whole={count}
      usedAmount={count - left}
    >
      <Trans>More is free in {wait}.</Trans>
    </RemainingBar>
  )
}

function Budget({ budget }: { budget: RemainingBudget }) {
  return (
    <RemainingBar title={budgetTitle(budget)} words={leftText(budget)} label={t`Spent`} isLow={isLow(budget)} whole={1} usedAmount={usedOf(budget)}>
      {beginsAnew(budget)} <Trans>Ask an admin for more.</Trans>
    </RemainingBar>
  )
}

function RemainingBar({ title, words, label, isLow, whole, usedAmount, children }: { title: string; words: string; label: string; isLow: boolean; whole: number; usedAmount: number; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h4 className="text-[12.5px] text-fg2">{title}</h4>
        <p className="text-[13.5px] tabular-nums">{words}</p>
      </div>
      <progress aria-label={label} className={`spent mt-2 ${isLow ? 'spent-bad' : ''}`} max={whole || 1} value={whole ? usedAmount : 1} />
      <p className="mt-1 text-[12.5px] text-fg3">{children}</p>
    </section>
  )
}
