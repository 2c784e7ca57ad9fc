import type { MessageLimitLeft } from '../api/generated'

const FEW = 10
const WINDOWS = { minute: 'this minute', hour: 'this hour', day: 'today', month: 'in these 30 days' }

/** Returns a sentence about the tightest limit when at most ten messages, or a tenth of the limit, are left; else null. */
export function fewLeft(limits: readonly MessageLimitLeft[]): string | null {
  const tight = limits.flatMap(({ holder, window, count, left }) => (left !== null && left <= Math.min(FEW, Math.max(3, count / 10)) ? [{ holder, window, left }] : []))
  const [tightest] = tight.sort((a, b) => a.left - b.left)
  if (!tightest) return null
  const who = tightest.holder === 'organization' ? 'Your organization has' : 'You have'
  const number = tightest.left === 0 ? 'no messages' : tightest.left === 1 ? '1 message' : `${tightest.left} messages`
  return `${who} ${number} left ${WINDOWS[tightest.window]}.`
}
