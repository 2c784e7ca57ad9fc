import { t } from '@lingui/core/macro'
import { Coins } from 'lucide-react'
import { useConversationUsage } from './conversationUsage'
import { costText, knownCost, short, tokensOf, tokenText } from './figures'

/** The running total of the conversation: its cost, or its tokens while no price is known. */
export function ConversationCost({ conversationId }: { conversationId: string }) {
  const { total } = useConversationUsage(conversationId)
  if (!total || tokensOf(total) === 0) return null
  const tokens = tokenText(tokensOf(total))
  const cost = costText(total)
  const title = t`Conversation so far: ${tokens}, cost ${cost}`
  return (
    <span className="flex shrink-0 items-center whitespace-nowrap gap-1.5 px-2 text-[12.5px] font-medium tabular-nums text-fg2 @max-xl:hidden" title={title}>
      <Coins className="size-4" aria-hidden />
      <span aria-hidden>{knownCost(total) ?? t`${short(tokensOf(total))} tokens`}</span>
      <span className="sr-only">{title}</span>
    </span>
  )
}
