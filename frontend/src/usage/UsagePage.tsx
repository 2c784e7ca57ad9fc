import { useEffect, useState, type ReactNode } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { Limits, RemainingBudget, UsageConversation, UsageSummary } from '../api/generated'
import { errorMessage } from '../api/client'
import { downloadText } from '../browser/download'
import { dateText, numberText } from '../language/formats'
import { beginsAnew, budgetTitle, isLow, isUsedUp, overdrawnBy, tightest, usedOf } from '../limits/budgetTexts'
import { RemainingLimits, useRemaining } from '../limits/RemainingLimits'
import { conversationHref, goToConversation } from '../navigation/router'
import { PlainText } from '../plainText/PlainText'
import { costText, knownCost, short, sumOf, tokensOf } from './figures'
import { foreignCurrency, money } from './money'
import { lastDay } from './budgetForecast'
import { columnsOf, monthName, periodOf, type PeriodName } from './period'
import { colourOf, SWATCHES, UsageChart } from './UsageChart'
import { fetchUsageSummary } from './usageApi'
import { usageCsv } from './usageCsv'

const PERIODS: readonly PeriodName[] = ['week', 'month', 'year']

/** What the member used in this organization. */
export default function UsagePage() {
  const [now] = useState(() => Date.now())
  const [name, setName] = useState<PeriodName>('month')
  const { summary, error, retry } = useSummary(name, now)
  const labels = { week: t`7 days`, month: monthName(now), year: t`12 months` }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={t`My usage`}>
      <div className="mx-auto w-full max-w-[1080px] px-5 pb-12 pt-8 max-sm:pt-3">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="text-[24px] font-[680] tracking-[-0.026em]"><Trans>My usage</Trans></h2>
          <div role="group" aria-label={t`Period`} className="ms-auto flex rounded-lg bg-hover p-0.5 max-sm:ms-0">
            {PERIODS.map((one) => (
              <button key={one} type="button" aria-pressed={one === name} onClick={() => setName(one)} className="min-h-7 rounded-md px-3 text-[13px] font-medium text-fg2 aria-pressed:bg-raise aria-pressed:text-fg aria-pressed:shadow-sm dark:aria-pressed:bg-line2 pointer-coarse:min-h-11">
                {labels[one]}
              </button>
            ))}
          </div>
          <button type="button" className="btn" disabled={!summary?.days.length} onClick={() => summary && downloadText(`usage-${summary.first}-${summary.last}.csv`, 'text/csv', usageCsv(summary))}>
            <Download className="size-4" aria-hidden />
            CSV
          </button>
        </div>
        {error ? <LoadError text={error} onRetry={retry} /> : summary ? <Summary summary={summary} name={name} label={labels[name]} now={now} /> : <Skeleton />}
      </div>
    </div>
  )
}

/** The figures of the period. The old ones stay until the new ones are there. */
function useSummary(name: PeriodName, now: number) {
  const [{ summary, error }, setState] = useState<{ summary: UsageSummary | undefined; error: string }>({ summary: undefined, error: '' })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const { first, last } = periodOf(name, now)
    fetchUsageSummary(first, last).then(
      (answer) => isCurrent && setState({ summary: answer, error: '' }),
      (problem: unknown) => isCurrent && setState({ summary: undefined, error: errorMessage(problem) }),
    )
    return () => {
      isCurrent = false
    }
  }, [name, now, tries])
  return { summary, error, retry: () => setTries(tries + 1) }
}

function Summary({ summary, name, label, now }: { summary: UsageSummary; name: PeriodName; label: string; now: number }) {
  const limits = useRemaining()
  const total = sumOf(summary.days)
  if (total.calls === 0) return <EmptyUsage name={name} label={label} limits={limits} />
  const models = [...new Set(summary.days.map((day) => day.model))].sort()
  const measure = total.costUsd === null || total.unpricedCalls > 0 ? 'tokens' : 'cost'
  const title = chartTitle(measure, name === 'year')
  const budget = name === 'month' ? tightest(limits.budgets.filter(({ period }) => period === 'month')) : undefined
  const isOwn = budget?.holder === 'member' // of another's budget the member spent only a part
  const perAnswer = total.costUsd !== null && total.unpricedCalls === 0 && total.answers > 0 ? money(total.costUsd / total.answers) : t`Unknown`
  return (
    <>
      <div className={`mt-6 grid gap-3.5 max-[900px]:grid-cols-2 ${isOwn ? 'grid-cols-[1.55fr_1fr_1fr_1fr]' : 'grid-cols-4'}`}>
        {budget && <BudgetTile budget={budget} now={now} isWide={!isOwn} />}
        {!isOwn && <Tile name={t`Spent`} value={knownCost(total) ?? t`Unknown`} note={unpricedText(total)} />}
        <Tile name={t`Answers`} value={short(total.answers)} note={plural(total.calls, { one: '# model call', other: '# model calls' })} />
        <Tile name={t`Tokens`} value={short(tokensOf(total))} note={total.cachedTokens ? t`${numberText(total.cachedTokens / tokensOf(total), { style: 'percent' })} from cache` : ''} />
        <Tile name={t`Per answer`} value={perAnswer} note={total.answers ? t`${short(Math.round(tokensOf(total) / total.answers))} tokens` : ''} />
      </div>
      <div className="mt-3.5 grid grid-cols-[2fr_1fr] items-start gap-3.5 max-[900px]:grid-cols-1">
        <Card title={title} side={<Legend models={models} />}>
          <UsageChart columns={columnsOf(name, summary, summary.days)} models={models} measure={measure} title={title} />
          <p className="mt-2 text-[12px] text-fg3"><Trans>Days in UTC</Trans>{rateText()}</p>
        </Card>
        <div className="grid gap-3.5">
          <RemainingLimits of={limits} />
          <Card title={t`By model`}>
            <ul className="space-y-3">
              {models.map((model) => <ModelRow key={model} model={model} models={models} summary={summary} measure={measure} />)}
            </ul>
          </Card>
        </div>
      </div>
      <div className="mt-3.5">
        <Card title={measure === 'cost' ? t`Most expensive conversations` : t`Largest conversations`}>
          <Conversations rows={summary.conversations} />
        </Card>
      </div>
    </>
  )
}

/** What others spent can still leave the member without a budget. */
function EmptyUsage({ name, label, limits }: { name: PeriodName; label: string; limits: Limits }) {
  return (
    <>
      <p className="my-16 text-center text-[14px] text-fg2">{name === 'month' ? t`Nothing used in ${label}. Your chats will show here.` : t`Nothing used in the last ${label}. Your chats will show here.`}</p>
      <RemainingLimits of={limits} />
    </>
  )
}

/** What a US dollar is taken for where costs are shown in another currency; the file has dollars. */
function rateText(): string {
  const currency = foreignCurrency()
  if (!currency) return ''
  const rate = numberText(currency.perUsd, { style: 'currency', currency: currency.code, maximumFractionDigits: 6 })
  return ` · ${t`Converted at 1 US dollar = ${rate}. The CSV is in US dollars.`}`
}

function chartTitle(measure: 'cost' | 'tokens', isByMonth: boolean): string {
  if (measure === 'cost') return isByMonth ? t`Cost by month` : t`Cost by day`
  return isByMonth ? t`Tokens by month` : t`Tokens by day`
}

const callsText = (tokens: string, calls: number): string => plural(calls, { one: `${tokens} tokens in # call`, other: `${tokens} tokens in # calls` })

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className="rounded-xl border border-line bg-raise px-4 py-3.5">
      <h3 className="text-[12.5px] text-fg2">{name}</h3>
      <p className="mt-0.5 text-[24px] font-[680] tabular-nums tracking-[-0.02em]">{value}</p>
      <p className="min-h-4.5 text-[12.5px] text-fg3">{note}</p>
    </div>
  )
}

const unpricedText = ({ unpricedCalls, calls }: { unpricedCalls: number; calls: number }): string => (unpricedCalls ? t`${numberText(unpricedCalls)} of ${numberText(calls)} calls without a price` : '')

/** What is spent of a month's budget, and until when it lasts or by how much it is overdrawn. */
function BudgetTile({ budget, now, isWide }: { budget: RemainingBudget; now: number; isWide: boolean }) {
  const [amount, left, over, last] = [money(budget.amountUsd), money(budget.leftUsd), overdrawnBy(budget), lastDay(budget, now)]
  const day = last && dateText(`${last}T00:00:00Z`, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const low = isLow(budget)
  return (
    <section aria-label={t`Spent of a budget`} className={`rounded-xl border border-line bg-raise px-4 py-3.5 ${isWide ? 'col-span-full' : 'max-[900px]:col-span-2'}`}>
      <h3 className="text-[12.5px] text-fg2">{budgetTitle(budget)}</h3>
      <p className="mt-0.5 flex flex-wrap items-baseline gap-x-2">
        <span className="text-[24px] font-[680] tabular-nums tracking-[-0.02em]">{money(budget.spentUsd)}</span>
        <span className="text-[13.5px] text-fg2"><Trans>spent of {amount}</Trans></span>
        <span className={`ms-auto rounded-md px-2 py-0.5 text-[12px] font-semibold ${low ? 'bg-bad-soft text-bad' : last ? 'bg-warn-soft text-warn' : 'bg-hover text-fg2'}`}>
          {isUsedUp(budget) ? <Trans>Used up</Trans> : <Trans>{left} left</Trans>}
        </span>
      </p>
      <progress aria-label={t`Spent`} className={`spent mt-1 ${low ? 'spent-bad' : ''}`} max={1} value={usedOf(budget)} />
      <p className="mt-1 text-[12.5px] text-fg3">
        {over && <Trans>{over} over the budget.</Trans>}{day && <Trans>At this pace it lasts until {day}.</Trans>} {beginsAnew(budget)}
      </p>
    </section>
  )
}

function Card({ title, side, children }: { title: string; side?: ReactNode; children: ReactNode }) {
  return (
    <section className="min-w-0 rounded-xl border border-line bg-raise p-4" aria-label={title}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="text-[14px] font-semibold">{title}</h3>
        {side}
      </div>
      {children}
    </section>
  )
}

function Legend({ models }: { models: readonly string[] }) {
  return (
    <ul className="ms-auto flex flex-wrap gap-x-4 gap-y-1 text-[12.5px] text-fg2">
      {models.map((model) => (
        <li key={model} className="flex items-center gap-1.5">
          <span className={`size-2.5 rounded-sm ${SWATCHES[colourOf(models, model)]}`} aria-hidden />
          {model}
        </li>
      ))}
    </ul>
  )
}

function ModelRow({ model, models, summary, measure }: { model: string; models: readonly string[]; summary: UsageSummary; measure: 'cost' | 'tokens' }) {
  const sum = sumOf(summary.days.filter((day) => day.model === model))
  const all = sumOf(summary.days)
  const share = measure === 'cost' ? (sum.costUsd ?? 0) / (all.costUsd || 1) : tokensOf(sum) / tokensOf(all)
  return (
    <li className="text-[13px]">
      <div className="flex justify-between gap-3 tabular-nums">
        <span className="truncate">{model}</span>
        <span>{measure === 'cost' ? costText(sum) : short(tokensOf(sum))}</span>
      </div>
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" className="mt-1.5 h-1.5 w-full rounded-full" aria-hidden>
        <rect width="100" height="2" className="fill-hover" />
        <rect width={Math.max(1, share * 100)} height="2" className={['fill-accent', 'fill-ok', 'fill-warn', 'fill-bad', 'fill-fg3'][colourOf(models, model)]} />
      </svg>
      <p className="mt-1 text-[12px] text-fg3">
        {callsText(short(tokensOf(sum)), sum.calls)}
      </p>
    </li>
  )
}

function Conversations({ rows }: { rows: readonly UsageConversation[] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-[13px]">
        <thead>
          <tr className="text-[12.5px] text-fg2">
            <th className="border-b border-line pb-2 text-start font-medium"><Trans>Conversation</Trans></th>
            <th className="border-b border-line pb-2 ps-4 text-end font-medium"><Trans>Answers</Trans></th>
            <th className="border-b border-line pb-2 ps-4 text-end font-medium"><Trans>Tokens</Trans></th>
            <th className="border-b border-line pb-2 ps-4 text-end font-medium"><Trans>Cost</Trans></th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.map((row, index) => (
            <tr key={row.id ?? index}>
              <td className="max-w-0 truncate border-b border-line py-2 font-medium">{row.id ? <ConversationLink id={row.id} title={row.title} /> : <span className="text-fg3"><Trans>Deleted conversation</Trans></span>}</td>
              <td className="w-20 border-b border-line py-2 ps-4 text-end">{numberText(row.answers)}</td>
              <td className="w-24 border-b border-line py-2 ps-4 text-end">{short(tokensOf(row))}</td>
              <td className="w-28 whitespace-nowrap border-b border-line py-2 ps-4 text-end font-semibold">{costText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ConversationLink({ id, title }: { id: string; title: string }) {
  const open = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToConversation(id)
  }
  return (
    <a href={conversationHref(id)} onClick={open} className="hover:underline">
      <PlainText text={title} prose />
    </a>
  )
}

function LoadError({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <div role="alert" className="alert-bad mt-6">
      <p className="min-w-0 flex-1">{text}</p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}

function Skeleton() {
  return (
    <div role="status" aria-label={t`Loading your usage`} className="mt-6 space-y-3.5">
      <div className="skeleton h-24" />
      <div className="skeleton h-80" />
    </div>
  )
}
