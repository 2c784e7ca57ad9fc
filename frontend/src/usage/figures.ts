// Usage in words. Pure.
import { plural, t } from '@lingui/core/macro'
import type { UsageSums } from '../api/generated'
import { numberText } from '../language/formats'
import { money } from './money'

export type Tokens = Pick<UsageSums, 'inputTokens' | 'outputTokens' | 'thinkingTokens'>
export type Cost = Pick<UsageSums, 'costUsd' | 'unpricedCalls'>

export const tokensOf = ({ inputTokens, outputTokens, thinkingTokens }: Tokens): number => inputTokens + outputTokens + thinkingTokens

export const tokenText = (tokens: number): string => plural(tokens, { one: '# token', other: '# tokens' })

/** The known cost. Undefined: no call has a price. */
export const knownCost = ({ costUsd }: Cost): string | undefined => (costUsd === null ? undefined : money(costUsd))

/** The cost with what is not known of it: an unknown price is never 0. */
export function costText(cost: Cost): string {
  const known = knownCost(cost)
  if (known === undefined) return t`unknown`
  return cost.unpricedCalls ? t`${known} + unknown` : known
}

/** A large number for a headline: `4.1 M`, `312`. */
export const short = (value: number): string => {
  if (value < 10_000) return numberText(value)
  const [thousands, millions] = [formatRounded(value / 1000, value < 100_000 ? 1 : 0), formatRounded(value / 1_000_000, 1)]
  return value < 1_000_000 ? t`${thousands} k` : t`${millions} M`
}

const formatRounded = (value: number, digits: number): string => numberText(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })

const ZERO: UsageSums = { answers: 0, calls: 0, inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, toolTokens: 0, outputTokens: 0, thinkingTokens: 0, costUsd: null, unpricedCalls: 0, estimatedCalls: 0 }

/** The sum. Its cost is null as long as no price is known. */
export function sumOf(all: readonly UsageSums[]): UsageSums {
  const names = Object.keys(ZERO) as (keyof UsageSums)[]
  const sum = (name: keyof UsageSums) => all.reduce((total, one) => total + (one[name] ?? 0), 0)
  const summed = Object.fromEntries(names.map((name) => [name, sum(name)])) as unknown as UsageSums
  return { ...summed, costUsd: all.some((one) => one.costUsd !== null) ? sum('costUsd') : null }
}
