import type { MessageMetadata, Usage } from '../../api/messageTypes'
import { duration } from '../parts/format'

/** Empty for a run that was stopped before the provider counted tokens. */
function tokens({ inputTokens, outputTokens, thinkingTokens }: Usage): string {
  const out = outputTokens + thinkingTokens
  return inputTokens + out > 0 ? `${inputTokens.toLocaleString('en')} tokens in, ${out.toLocaleString('en')} out` : ''
}

/** The model, tokens and time of an answer, as far as they are known. */
export function answerDetails(metadata: MessageMetadata | undefined): string {
  if (!metadata) return ''
  const { modelName, usage, durationMs } = metadata
  return [modelName, usage && tokens(usage), durationMs !== undefined ? duration(durationMs) : undefined].filter(Boolean).join(' · ')
}
