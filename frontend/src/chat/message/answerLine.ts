import type { AnswerUsage } from '../../api/generated'
import type { MessageMetadata } from '../../api/messageTypes'
import { duration } from '../../language/numbers'
import { knownCost, tokensOf, tokenText } from '../../usage/figures'

type AnswerFacts = { /** From the log of calls; before that, what the stream told. */ loggedUsage?: AnswerUsage | undefined; /** Of a running answer. */ elapsedMs?: number | undefined; showsCost: boolean }

/** The model and time of an answer, and its tokens and cost if wanted, as far as they are known. */
export function answerLine(metadata: MessageMetadata | undefined, { loggedUsage, elapsedMs, showsCost }: AnswerFacts): string {
  if (!metadata) return ''
  const { modelName, usage, durationMs, costUsd } = metadata
  const ms = elapsedMs ?? loggedUsage?.durationMs ?? durationMs
  const time = ms === undefined ? undefined : duration(ms)
  if (!showsCost) return [modelName, time].filter(Boolean).join(' · ')
  const tokens = loggedUsage ? tokensOf(loggedUsage) : usage ? tokensOf(usage) : 0
  const cost = loggedUsage ? (loggedUsage.unpricedCalls ? undefined : knownCost(loggedUsage)) : knownCost({ costUsd: costUsd ?? null, unpricedCalls: 0 })
  return [modelName, time, tokens ? tokenText(tokens) : undefined, cost].filter(Boolean).join(' · ')
}
