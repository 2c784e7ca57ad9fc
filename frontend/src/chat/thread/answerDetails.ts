import type { AnswerUsage } from '../../api/generated'
import type { MessageMetadata } from '../../api/messageTypes'
import { duration } from '../../language/numbers'
import { knownCost, tokensOf, tokenText } from '../../usage/figures'

/** The model, time, tokens and cost of an answer, as far as they are known. `used`: from the log of calls; before that, what the stream told. `elapsedMs`: of a running answer. */
export function answerDetails(metadata: MessageMetadata | undefined, used?: AnswerUsage, elapsedMs?: number): string {
  if (!metadata) return ''
  const { modelName, usage, durationMs, costUsd } = metadata
  const ms = elapsedMs ?? used?.durationMs ?? durationMs
  const tokens = used ? tokensOf(used) : usage ? tokensOf(usage) : 0
  const cost = used ? (used.unpricedCalls ? undefined : knownCost(used)) : knownCost({ costUsd: costUsd ?? null, unpricedCalls: 0 })
  return [modelName, ms === undefined ? undefined : duration(ms), tokens ? tokenText(tokens) : undefined, cost].filter(Boolean).join(' · ')
}
