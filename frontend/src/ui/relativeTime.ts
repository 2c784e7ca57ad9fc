const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString()

/** `just now`, `4 min ago`, `14:05`, `yesterday, 14:05`, `13 Nov, 14:05`, `13 Nov 2025`; in the reader's time zone. */
export function relativeTime(time: number, now: number): string {
  const past = now - time
  if (past < MINUTE_MS) return 'just now'
  if (past < HOUR_MS) return `${Math.floor(past / MINUTE_MS)} min ago`
  const [then, today] = [new Date(time), new Date(now)]
  if (isSameDay(then, today)) return clock.format(then)
  const yesterday = new Date(now)
  yesterday.setDate(today.getDate() - 1)
  if (isSameDay(then, yesterday)) return `yesterday, ${clock.format(then)}`
  return then.getFullYear() === today.getFullYear() ? `${day.format(then)}, ${clock.format(then)}` : dayOfYear.format(then)
}
