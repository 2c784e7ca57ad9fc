// The periods of "My usage". Days are in UTC, as in the log of calls. Pure.
import type { UsageDay } from '../api/generated'
import { dateText } from '../language/formats'

export type PeriodName = 'week' | 'month' | 'year'
/** A column of the chart: a day, or a month of the last year. */
export type Column = { readonly key: string; readonly label: string; readonly title: string; readonly days: readonly UsageDay[] }

const DAY_MS = 86_400_000
const iso = (time: number): string => new Date(time).toISOString().slice(0, 10)
const utc = (key: string, options: Intl.DateTimeFormatOptions): string => dateText(`${key.length === 7 ? `${key}-01` : key}T00:00:00Z`, { ...options, timeZone: 'UTC' })

/** First and last day. */
export function periodOf(name: PeriodName, now: number): { first: string; last: string } {
  const today = iso(now)
  if (name === 'week') return { first: iso(now - 6 * DAY_MS), last: today }
  if (name === 'month') return { first: `${today.slice(0, 7)}-01`, last: today }
  const date = new Date(now)
  return { first: iso(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11, 1)), last: today }
}

export const monthName = (now: number): string => utc(iso(now), { month: 'long' })

/** All columns of the period, also the empty ones. A month is shown to its end. */
export function columnsOf(name: PeriodName, { first, last }: { first: string; last: string }, days: readonly UsageDay[]): readonly Column[] {
  const keyOf = (day: string) => (name === 'year' ? day.slice(0, 7) : day)
  const end = name === 'month' ? iso(Date.UTC(Number(last.slice(0, 4)), Number(last.slice(5, 7)), 0)) : last
  const keys: string[] = []
  for (let time = Date.parse(first); iso(time) <= end; time += DAY_MS) if (keys.at(-1) !== keyOf(iso(time))) keys.push(keyOf(iso(time)))
  return keys.map((key) => ({
    key,
    label: name === 'year' ? utc(key, { month: 'short' }) : name === 'week' ? utc(key, { weekday: 'short' }) : utc(key, { day: 'numeric', month: 'short' }),
    title: name === 'year' ? utc(key, { month: 'long', year: 'numeric' }) : utc(key, { weekday: 'long', day: 'numeric', month: 'long' }),
    days: days.filter((day) => keyOf(day.day) === key),
  }))
}
