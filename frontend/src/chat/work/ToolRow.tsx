import { useId, useState, type ReactNode } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { i18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { ChevronRight } from 'lucide-react'
import type { ChatPart } from '../../api/messageTypes'
import { duration } from '../../language/numbers'
import { PlainText } from '../../plainText/PlainText'
import { progressSummary, useToolProgress } from '../session/toolProgress'
import { latestStepSummary } from './agentSteps'
import { inputSummary, resultMs, displayName } from './format'
import { providerTitle, providerCallSummary, providerCallOf } from './providerCall'
import { ProviderCallDetails } from './ProviderCallDetails'
import { RefusalReason } from './RefusalReason'
import { StateIcon, STATE_LOOKS, type ShownState } from './StateIcon'
import { toolState, type AnswerState } from './toolState'
import { useElapsed } from './useElapsed'
import { Value } from './Value'

/** The state where it is said in words, and how long the call took. One that was refused or waits has taken no time. */
function timeText(state: ShownState, part: DynamicToolUIPart, elapsed: number | undefined): string {
  const shown = part.approval?.approved && state !== 'failed' ? 'allowed' : state
  if (state !== 'running' && state !== 'done' && state !== 'failed') return i18n._(STATE_LOOKS[state].word)
  const ms = resultMs(part) ?? elapsed
  return [STATE_LOOKS[shown].isShown && i18n._(STATE_LOOKS[shown].word), ms !== undefined && duration(ms)].filter(Boolean).join(' · ')
}

/** `steps`: those of the sub-agent of the call; the children show them. `asks`: a step needs a decision, so the row opens. */
type Props = { part: DynamicToolUIPart; answer: AnswerState; steps?: readonly ChatPart[]; asks?: boolean; children?: ReactNode }

export function ToolRow({ part, answer, steps = [], asks = false, children }: Props) {
  const { t } = useLingui()
  const [choice, setChoice] = useState<boolean>()
  const open = choice ?? asks
  const details = useId()
  const callState = toolState(part, answer)
  const state: ShownState = callState === 'asks' ? 'waits' : callState
  const elapsed = useElapsed(state === 'running')
  const progress = useToolProgress(part.toolCallId)
  const name = part.title ?? (part.providerExecuted ? providerTitle : displayName)(part.toolName)
  return (
    <section role="group" className="rounded-xl border border-line bg-raise" aria-label={t`Tool: ${name}`}>
      <button type="button" className="flex min-h-9 w-full items-center gap-2.5 rounded-xl px-3 text-start text-[13px]" aria-expanded={open} aria-controls={details} onClick={() => setChoice(!open)}>
        <StateIcon state={state} />
        <span className="shrink-0 font-medium">
          <PlainText text={name} />
        </span>
        <span className="truncate text-fg3">{part.providerExecuted ? providerCallSummary(providerCallOf(part)) : (state === 'running' && (progressSummary(progress) || latestStepSummary(steps))) || inputSummary(part.input)}</span>
        <span className="ms-auto shrink-0 tabular-nums text-fg3">{timeText(state, part, elapsed)}</span>
        <ChevronRight className={`size-3.5 shrink-0 text-fg3 transition-transform ${open ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      <RefusalReason call={part} state={state} className="border-t border-line px-3 py-2" />
      <div id={details} hidden={!open} className="space-y-2 border-t border-line px-3 py-2.5">
        {open && <ToolDetails part={part}>{children}</ToolDetails>}
      </div>
    </section>
  )
}

/** Everything about a call. The last step of a sub-agent is its answer, so the result is not shown again. */
export function ToolDetails({ part, children }: { part: DynamicToolUIPart; children?: ReactNode }) {
  const { t } = useLingui()
  if (part.providerExecuted) return <ProviderCallDetails part={part} />
  return (
    <>
      <Value label={t`Inputs`} value={part.input} />
      {children}
      {part.state === 'output-available' && !children && <Value label={t`Result`} value={part.output} />}
      {part.state === 'output-error' && <Value label={t`Error`} value={part.errorText} />}
    </>
  )
}
