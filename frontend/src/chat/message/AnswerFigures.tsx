import { plural, t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Popover } from 'radix-ui'
import { Timer } from 'lucide-react'
import type { AnswerUsage } from '../../api/generated'
import type { ChatMessage } from '../../api/messageTypes'
import { numberText } from '../../language/formats'
import { visibleText } from '../../plainText/segments'
import { duration } from '../../language/numbers'
import { useChoices } from '../../preferences/choices'
import { useConversationUsage } from '../../usage/conversationUsage'
import { costText } from '../../usage/figures'
import { NoticeDetails } from '../parts/NoticeRow'
import { useElapsed } from '../work/useElapsed'
import { contextNotices } from '../work/workBlocks'
import { answerLine } from './answerLine'

/** What the running answer has used so far. It is as high as the footer that takes its place, so that what comes below does not move. */
export function LiveFigures({ message }: { message: ChatMessage }) {
  const elapsed = useElapsed(true)
  const { showsCost } = useChoices()
  const whole = elapsed === undefined ? undefined : Math.floor(elapsed / 1000) * 1000
  return <p className="mt-2 min-h-8 pt-1 text-[12px] pointer-coarse:min-[30rem]:min-h-11 pointer-coarse:max-[30rem]:min-h-22 tabular-nums text-fg3">{answerLine(message.metadata, { elapsedMs: whole || undefined, showsCost })}</p>
}

/** Model and time of an answer, with tokens and cost where the member wants them. A click shows what they are made of. */
export function AnswerFigures({ message, conversationId }: { message: ChatMessage; conversationId: string }) {
  const { t } = useLingui()
  const { total, answers } = useConversationUsage(conversationId)
  const usage = answers.get(message.metadata?.runId ?? '')
  const { showsCost } = useChoices()
  const assistant = message.metadata?.assistant
  const text = answerLine(message.metadata, { loggedUsage: usage, showsCost })
  if (!text) return null
  return (
    <Popover.Root>
      <Popover.Trigger className="min-h-7 rounded-lg px-2 text-[12px] tabular-nums hover:bg-hover data-[state=open]:bg-hover pointer-coarse:min-h-11">
        {text}
        <span className="sr-only">
          <Trans>, what this answer used</Trans>
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu rise max-h-[var(--radix-popover-content-available-height)] w-[min(17rem,92vw)] overflow-y-auto p-4 text-[13px]" align="end" sideOffset={6} collisionPadding={12} aria-label={t`What this answer used`}>
          <p className="flex items-center justify-between gap-2">
            <span className="font-semibold">{message.metadata?.modelName}</span>
            {assistant && <span className="truncate rounded-md bg-hover px-2 py-0.5 text-[12px] font-medium text-fg2">{visibleText(assistant.name)}</span>}
          </p>
          {usage ? <Figures usage={usage} toolCalls={message.parts.filter((part) => part.type === 'dynamic-tool').length} /> : <p className="mt-2 text-fg2"><Trans>The figures are not there yet.</Trans></p>}
          {total && <Line name={t`Conversation so far`} value={costText(total)} />}
          {usage && <Times usage={usage} />}
          <Technical message={message} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Figures({ usage, toolCalls }: { usage: AnswerUsage; toolCalls: number }) {
  const { t } = useLingui()
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, thinkingTokens, toolTokens } = usage
  const all = inputTokens + outputTokens + thinkingTokens
  return (
    <div className="mt-2 border-b border-line pb-2">
      <Line name={t`Input`} value={numberText(inputTokens)} />
      {cachedTokens > 0 && <Line name={t`from cache`} value={numberText(cachedTokens)} inner />}
      {cacheWriteTokens > 0 && <Line name={t`written to cache`} value={numberText(cacheWriteTokens)} inner />}
      {toolTokens > 0 && <Line name={t`from web pages`} value={numberText(toolTokens)} inner />}
      {thinkingTokens > 0 && <Line name={t`Thinking`} value={numberText(thinkingTokens)} />}
      <Line name={t`Answer`} value={numberText(outputTokens)} />
      {toolCalls > 0 && <Line name={t`Tools`} value={plural(toolCalls, { one: '# call', other: '# calls' })} />}
      <div className="mt-2 border-t border-line pt-1">
        <Line name={t`This answer`} value={plural(all, { one: '# token', other: '# tokens' })} strong />
        <Line name={t`Cost`} value={costText(usage)} strong />
      </div>
    </div>
  )
}

function Line({ name, value, inner = false, strong = false }: { name: string; value: string; inner?: boolean; strong?: boolean }) {
  return (
    <div className={`flex justify-between gap-4 py-0.5 tabular-nums ${strong ? 'font-semibold text-fg' : ''}`}>
      <span className={inner ? 'ps-3 text-fg3' : strong ? '' : 'text-fg2'}>{name}</span>
      <span>{value}</span>
    </div>
  )
}

function timesText(firstTokenMs: number | null, durationMs: number | null): string {
  const first = firstTokenMs === null ? '' : duration(firstTokenMs)
  const whole = durationMs === null ? '' : duration(durationMs)
  if (first && whole) return t`First word after ${first}, done in ${whole}`
  if (first) return t`First word after ${first}`
  return whole && t`done in ${whole}`
}

function Times({ usage: { firstTokenMs, durationMs, estimatedCalls } }: { usage: AnswerUsage }) {
  const text = timesText(firstTokenMs, durationMs)
  return (
    <>
      {text && (
        <p className="mt-2 flex items-center gap-1.5 border-t border-line pt-2.5 text-[12.5px] text-fg3">
          <Timer className="size-3.5" aria-hidden />
          {text}
        </p>
      )}
      {estimatedCalls > 0 && <p className="mt-1 text-[12.5px] text-fg3"><Trans>Partly estimated: the answer was cut off, or the provider doesn’t count.</Trans></p>}
    </>
  )
}

/** What only a developer or an admin asks for. */
function Technical({ message: { metadata, parts } }: { message: ChatMessage }) {
  const notices = contextNotices(parts)
  const runId = metadata?.runId
  const text = [...notices.map(({ text, details }) => [text, details].filter(Boolean).join('\n')), runId && t`Run ${runId}`].filter(Boolean).join('\n\n')
  return text ? <div className="mt-2 text-fg3"><NoticeDetails text={text} /></div> : null
}
