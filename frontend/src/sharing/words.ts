import type { ShareItem } from '../api/generated'
import { relativeTime } from '../ui/relativeTime'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

/** How long a link may last, from now. */
export const LIFETIMES: readonly { readonly days: number | null; readonly says: string }[] = [
  { days: 1, says: '1 day' },
  { days: 7, says: '7 days' },
  { days: 30, says: '30 days' },
  { days: 90, says: '90 days' },
  { days: 365, says: '1 year' },
  { days: null, says: 'No end' },
]
export const DEFAULT_DAYS = 30

export const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** Such as `Ends on 22 December 2026`. */
export function endOf(share: ShareItem): string {
  if (!share.expiresAt) return 'No end'
  return `${share.expired ? 'Expired on' : 'Ends on'} ${DAY.format(new Date(share.expiresAt))}`
}

/** Such as `Opened 14 times, last yesterday, 09:12`. */
export function viewsOf(share: ShareItem, now: number): string {
  if (!share.viewCount || !share.lastViewedAt) return 'Not opened yet'
  return `Opened ${share.viewCount === 1 ? 'once' : `${share.viewCount} times`}, last ${relativeTime(Date.parse(share.lastViewedAt), now)}`
}

/** Such as `Anyone with the link · always the latest`. */
export function rulesOf(share: ShareItem): string {
  const what = share.follows ? 'always the latest' : share.version ? `version ${share.version}` : 'a copy'
  return `${share.audience === 'public' ? 'Anyone with the link' : 'Members only'} · ${what}`
}
