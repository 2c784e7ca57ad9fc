import { t } from '@lingui/core/macro'
import { dateText } from '../language/formats'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const clock = (time: Date): string => dateText(time, { hour: '2-digit', minute: '2-digit' })
const day = (time: Date): string => dateText(time, { day: 'numeric', month: 'short' })
const dayOfYear = (time: Date): string => dateText(time, { day: 'numeric', month: 'short', year: 'numeric' })

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString()

/** `just now`, `4 min ago`, `14:05`, `yesterday, 14:05`, `13 Nov, 14:05`, `13 Nov 2025`; in the reader's time zone. */
export function relativeTime(time: number, now: number): string {
  const past = now - time
  if (past < MINUTE_MS) return t`just now`
  const minutes = Math.floor(past / MINUTE_MS)
  if (past < HOUR_MS) return t`${minutes} min ago`
  const [then, today] = [new Date(time), new Date(now)]
  const at = clock(then)
  if (isSameDay(then, today)) return at
  const yesterday = new Date(now)
  yesterday.setDate(today.getDate() - 1)
  if (isSameDay(then, yesterday)) return t`yesterday, ${at}`
  return then.getFullYear() === today.getFullYear() ? `${day(then)}, ${at}` : dayOfYear(then)
}
