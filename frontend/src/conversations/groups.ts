import { t } from '@lingui/core/macro'
import type { ConversationItem } from '../api/generated'
import { dateText } from '../language/formats'

export type Group = { readonly label: string; readonly items: readonly ConversationItem[] }

const DAY_MS = 86_400_000

/** Midnight before `time`, in the reader's time zone. */
function dayStart(time: number): number {
  const day = new Date(time)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
}

export function dayLabel(time: number, now: number): string {
  const days = Math.round((dayStart(now) - dayStart(time)) / DAY_MS)
  if (days <= 0) return t`Today`
  if (days === 1) return t`Yesterday`
  if (days < 7) return t`Previous 7 days`
  if (days < 30) return t`Previous 30 days`
  return dateText(time, { month: 'long', year: 'numeric' })
}

/** Groups conversations, newest first: the pinned ones, then the others by the day of their last use. */
export function groupByDay(items: readonly ConversationItem[], now: number): readonly Group[] {
  const groups = new Map<string, ConversationItem[]>()
  for (const item of items.toSorted((a, b) => Number(b.pinned) - Number(a.pinned))) {
    const label = item.pinned ? t`Pinned` : dayLabel(Date.parse(item.updatedAt), now)
    const group = groups.get(label)
    if (group) group.push(item)
    else groups.set(label, [item])
  }
  return [...groups].map(([label, grouped]) => ({ label, items: grouped }))
}
