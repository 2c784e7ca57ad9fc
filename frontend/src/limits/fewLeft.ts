import { plural } from '@lingui/core/macro'
import type { MessageLimitLeft } from '../api/generated'

type Window = MessageLimitLeft['window']

const FEW = 10

/** Returns a sentence about the tightest limit when at most ten messages, or a tenth of the limit, are left; else null. */
export function fewLeft(limits: readonly MessageLimitLeft[]): string | null {
  const tight = limits.flatMap(({ holder, window, count, left }) => (left !== null && left <= Math.min(FEW, Math.max(3, count / 10)) ? [{ holder, window, left }] : []))
  const [tightest] = tight.sort((a, b) => a.left - b.left)
  if (!tightest) return null
  return tightest.holder === 'organization' ? organizationHas(tightest.left, tightest.window) : youHave(tightest.left, tightest.window)
}

function youHave(left: number, window: Window): string {
  if (window === 'minute') return plural(left, { 0: 'You have no messages left this minute.', one: 'You have # message left this minute.', other: 'You have # messages left this minute.' })
  if (window === 'hour') return plural(left, { 0: 'You have no messages left this hour.', one: 'You have # message left this hour.', other: 'You have # messages left this hour.' })
  if (window === 'day') return plural(left, { 0: 'You have no messages left today.', one: 'You have # message left today.', other: 'You have # messages left today.' })
  return plural(left, { 0: 'You have no messages left in these 30 days.', one: 'You have # message left in these 30 days.', other: 'You have # messages left in these 30 days.' })
}

function organizationHas(left: number, window: Window): string {
  if (window === 'minute') return plural(left, { 0: 'Your organization has no messages left this minute.', one: 'Your organization has # message left this minute.', other: 'Your organization has # messages left this minute.' })
  if (window === 'hour') return plural(left, { 0: 'Your organization has no messages left this hour.', one: 'Your organization has # message left this hour.', other: 'Your organization has # messages left this hour.' })
  if (window === 'day') return plural(left, { 0: 'Your organization has no messages left today.', one: 'Your organization has # message left today.', other: 'Your organization has # messages left today.' })
  return plural(left, { 0: 'Your organization has no messages left in these 30 days.', one: 'Your organization has # message left in these 30 days.', other: 'Your organization has # messages left in these 30 days.' })
}
