import { plural, t } from '@lingui/core/macro'
import type { RemainingLimit } from '../api/generated'
import { numberText } from '../language/formats'
import { short } from '../usage/figures'
import { money } from '../usage/money'

const FEW = 10
const LITTLE = 0.1
const WINDOWS_S = { minute: 60, hour: 3600, day: 86_400, month: 30 * 86_400 }
type CountedLimit = RemainingLimit & { left: number; resetsInS: number }

/** Returns a sentence about the tightest limit when little of it is left, at most ten messages or a tenth; else null. Limits of agents come last. */
export function limitWarning(limits: readonly RemainingLimit[]): string | null {
  const tight = limits.filter(isKnown).filter(isLittle)
  tight.sort((a, b) => Number(isOfAgent(a)) - Number(isOfAgent(b)) || Number(isCharged(a)) - Number(isCharged(b)) || a.left - b.left)
  const [tightest] = tight
  const emptyLimit = tight.find(({ left, holder }) => left === 0 && (holder !== 'agent' || tightest?.holder === 'agent'))
  return emptyLimit ? spentText(emptyLimit) : tightest ? leftText(tightest) : null
}

export const isKnown = (limit: RemainingLimit): limit is CountedLimit => limit.left !== null && limit.resetsInS !== null

/** Whether less than a tenth is left, and of messages at most ten. */
export function isLittle(limit: CountedLimit): boolean {
  const { count, left } = limit
  return left === 0 || (isCharged(limit) ? left < count * LITTLE : left <= Math.min(FEW, Math.max(3, count * LITTLE)))
}

const isOfAgent = ({ holder }: RemainingLimit): boolean => holder === 'agent'
const isCharged = ({ measure }: RemainingLimit): boolean => measure === 'tokens' || measure === 'cost'

function leftText(limit: CountedLimit): string {
  const amount = amountOf(limit.measure, limit.left)
  const time = windowOf(limit)
  const agent = limit.agentLabel
  if (limit.holder === 'agent') return t`“${agent}” has ${amount} left ${time}.`
  if (limit.holder === 'organization') return t`Your organization has ${amount} left ${time}.`
  return limit.holder === 'assistant' ? t`This assistant has ${amount} left ${time}.` : t`You have ${amount} left ${time}.`
}

/** A window slides, and an answer under way may use more than is left: then the wait is longer than the window. */
function spentText(limit: CountedLimit): string {
  const words = nothingLeftNow(limit)
  if (limit.resetsInS <= WINDOWS_S[limit.window]) return words
  const longer = t`More than that was used, so the wait is longer.`
  return `${words} ${longer}`
}

function nothingLeftNow(limit: CountedLimit): string {
  const what = nothingOf(limit.measure)
  const time = windowOf(limit)
  const wait = timeText(limit.resetsInS)
  const agent = limit.agentLabel
  if (limit.holder === 'agent') return t`“${agent}” has ${what} left ${time}. It can go on in ${wait}.`
  if (limit.holder === 'organization') return t`Your organization has ${what} left ${time}. You can continue in ${wait}.`
  return limit.holder === 'assistant' ? t`This assistant has ${what} left ${time}. You can continue in ${wait}.` : t`You have ${what} left ${time}. You can continue in ${wait}.`
}

/** `3 messages`, `12 k tokens` or `$0.40`. */
export function amountOf(measure: RemainingLimit['measure'], amount: number): string {
  if (measure === 'cost') return money(amount)
  if (measure === 'messages') return plural(amount, { one: '# message', other: '# messages' })
  if (measure === 'runs') return plural(amount, { one: '# answer', other: '# answers' })
  const tokens = short(amount)
  return t`${tokens} tokens`
}

function nothingOf(measure: RemainingLimit['measure']): string {
  if (measure === 'messages') return t`no messages`
  if (measure === 'runs') return t`no answers`
  return measure === 'tokens' ? t`no tokens` : t`no money`
}

function windowOf({ window }: RemainingLimit): string {
  if (window === 'minute') return t`this minute`
  if (window === 'hour') return t`this hour`
  return window === 'day' ? t`in these 24 hours` : t`in these 30 days`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time to wait, rounded up: `40 seconds`, `14 minutes`, `3 hours`. */
export function timeText(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds > length) ?? (['second', 1] as const)
  return numberText(Math.max(1, Math.ceil(seconds / size)), { style: 'unit', unit, unitDisplay: 'long' })
}
