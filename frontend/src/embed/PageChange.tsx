import { Trans, useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import type { ChatPart } from '../api/messageTypes'
import { StateIcon } from '../chat/work/StateIcon'
import { toolState, type AnswerState } from '../chat/work/toolState'
import { callLabel } from '../chat/work/toolLabels'
import { useStore } from '../ui/store'
import { formerValues, undo } from './pageState'

type ToolPart = Extract<ChatPart, { type: 'dynamic-tool' }>

/** What the agent changed on the page around the chat, by the names of its keys, and the way back while this page still knows it. */
export function PageChange({ part, answer }: { part: ToolPart; answer: AnswerState }) {
  const { t } = useLingui()
  const former = useStore(formerValues)[part.toolCallId]
  const callState = toolState(part, answer)
  if (callState !== 'done') {
    const state = callState === 'asks' ? 'waits' : callState
    return (
      <p className="flex w-fit items-center gap-2 text-[13px] text-fg2">
        <StateIcon state={state} />
        {callLabel(part, state === 'failed' ? 'failed' : 'open')}
      </p>
    )
  }
  const keys = Object.keys(former ?? (part.input as object | null) ?? {}).join(', ')
  return (
    <div className="flex items-center gap-2 text-[13px] text-fg2">
      <Check className="size-4 shrink-0 text-ok" aria-hidden />
      <span className="min-w-0 [overflow-wrap:anywhere]"><Trans>Changed on this page: <b>{keys}</b></Trans></span>
      {former && (
        <button type="button" className="ghost ms-auto" aria-label={t`Undo the change of this page`} onClick={() => void undo(part.toolCallId)}>
          <Trans>Undo</Trans>
        </button>
      )}
    </div>
  )
}
