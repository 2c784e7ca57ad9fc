import { useId, useState, type ReactNode } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { Ban, Check, ChevronRight, CircleAlert, Clock, LoaderCircle, Square } from 'lucide-react'
import type { ChatPart } from '../../api/messageTypes'
import { PlainText } from '../../plainText/PlainText'
import { progressSummary, useToolProgress } from '../session/toolProgress'
import { latestStepSummary } from './agentSteps'
import { duration, inputSummary, measuredMs, displayName } from './format'
import { providerTitle, providerCallSummary, providerCallOf } from './providerCall'
import { ProviderCallDetails } from './ProviderCallDetails'
import { toolState, type AnswerState, type ToolState } from './toolState'
import { useElapsed } from './useElapsed'
import { Value } from './Value'

type State = Exclude<ToolState, 'asks'>

const ICONS = {
  running: { Icon: LoaderCircle, className: 'animate-spin text-accent', word: 'Running' },
  done: { Icon: Check, className: 'text-ok', word: 'Done' },
  failed: { Icon: CircleAlert, className: 'text-bad', word: 'Failed' },
  stopped: { Icon: Square, className: 'text-fg3', word: 'Stopped' },
  allowed: { Icon: Check, className: 'text-accent', word: 'Allowed' },
  denied: { Icon: Ban, className: 'text-fg3', word: 'Not allowed' },
  waits: { Icon: Clock, className: 'text-fg3', word: 'Waiting' },
  page: { Icon: Clock, className: 'text-fg3', word: 'Waiting for the page' },
} as const

function timeText(state: State, part: DynamicToolUIPart, elapsed: number | undefined): string {
  if (state !== 'running' && state !== 'done') return ICONS[state].word
  const result = part.state === 'output-available' ? part.resultProviderMetadata : undefined
  const ms = measuredMs(result) ?? elapsed
  return [part.approval?.approved && ICONS.allowed.word, ms !== undefined && duration(ms)].filter(Boolean).join(' · ')
}

/** `steps`: those of the sub-agent of the call; the children show them. `asks`: a step needs a decision, so the row opens. */
type Props = { part: DynamicToolUIPart; answer: AnswerState; steps?: readonly ChatPart[]; asks?: boolean; children?: ReactNode }

export function ToolRow({ part, answer, steps = [], asks = false, children }: Props) {
  const [chosen, setOpen] = useState<boolean>()
  const open = chosen ?? asks
  const details = useId()
  const shown = toolState(part, answer)
  const state: State = shown === 'asks' ? 'waits' : shown
  const elapsed = useElapsed(state === 'running')
  const progress = useToolProgress(part.toolCallId)
  const { Icon, className, word } = ICONS[state]
  const name = part.title ?? (part.providerExecuted ? providerTitle : displayName)(part.toolName)
  return (
    <section role="group" className="rounded-xl border border-line bg-raise" aria-label={`Tool: ${name}`}>
      <button type="button" className="flex min-h-9 w-full items-center gap-2.5 rounded-xl px-3 text-left text-[13px]" aria-expanded={open} aria-controls={details} onClick={() => setOpen(!open)}>
        <Icon className={`size-4 shrink-0 ${className}`} role="img" aria-label={word} />
        <span className="shrink-0 font-medium">
          <PlainText text={name} />
        </span>
        <span className="truncate text-fg3">{part.providerExecuted ? providerCallSummary(providerCallOf(part)) : (state === 'running' && (progressSummary(progress) || latestStepSummary(steps))) || inputSummary(part.input)}</span>
        <span className="ml-auto shrink-0 tabular-nums text-fg3">{timeText(state, part, elapsed)}</span>
        <ChevronRight className={`size-3.5 shrink-0 text-fg3 transition-transform ${open ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      {state === 'denied' && part.approval?.reason && <p className="border-t border-line px-3 py-2 text-[13px] text-fg2 [overflow-wrap:anywhere]">Reason: {part.approval.reason}</p>}
      <div id={details} hidden={!open} className="space-y-2 border-t border-line px-3 py-2.5">
        {open && (part.providerExecuted ? <ProviderCallDetails part={part} /> : <Details part={part}>{children}</Details>)}
      </div>
    </section>
  )
}

/** The last step of a sub-agent is its answer, so the result is not shown again. */
function Details({ part, children }: { part: DynamicToolUIPart; children?: ReactNode }) {
  return (
    <>
      <Value label="Arguments" value={part.input} />
      {children}
      {part.state === 'output-available' && !children && <Value label="Result" value={part.output} />}
      {part.state === 'output-error' && <Value label="Error" value={part.errorText} />}
    </>
  )
}
