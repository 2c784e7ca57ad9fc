import { useId, useState } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { Check, ChevronRight, CircleAlert, LoaderCircle, Square } from 'lucide-react'
import { duration, gist, measuredMs, readable, readableName } from '../text'
import { useElapsed } from './useElapsed'

type State = 'running' | 'done' | 'failed' | 'stopped'

/** A call without a result in a message that is over was cut off by a stop. */
function stateOf(part: DynamicToolUIPart, live: boolean): State {
  if (part.state === 'output-available') return 'done'
  if (part.state === 'output-error' || part.state === 'output-denied') return 'failed'
  return live ? 'running' : 'stopped'
}

const ICONS = {
  running: { Icon: LoaderCircle, className: 'animate-spin text-accent', word: 'Running' },
  done: { Icon: Check, className: 'text-ok', word: 'Done' },
  failed: { Icon: CircleAlert, className: 'text-bad', word: 'Failed' },
  stopped: { Icon: Square, className: 'text-fg3', word: 'Stopped' },
} as const

function timeText(state: State, part: DynamicToolUIPart, elapsed: number | undefined): string {
  if (state === 'failed' || state === 'stopped') return ICONS[state].word
  const result = part.state === 'output-available' ? part.resultProviderMetadata : undefined
  const ms = measuredMs(result) ?? elapsed
  return ms === undefined ? '' : duration(ms)
}

export function ToolRow({ part, live }: { part: DynamicToolUIPart; live: boolean }) {
  const [open, setOpen] = useState(false)
  const details = useId()
  const state = stateOf(part, live)
  const elapsed = useElapsed(state === 'running')
  const { Icon, className, word } = ICONS[state]
  const name = part.title ?? readableName(part.toolName)
  return (
    <section className="rounded-xl border border-line bg-raise" aria-label={`Tool: ${name}`}>
      <button type="button" className="flex min-h-9 w-full items-center gap-2.5 rounded-xl px-3 text-left text-[13px]" aria-expanded={open} aria-controls={details} onClick={() => setOpen(!open)}>
        <Icon className={`size-4 shrink-0 ${className}`} role="img" aria-label={word} />
        <span className="shrink-0 font-medium">{name}</span>
        <span className="truncate text-fg3">{gist(part.input)}</span>
        <span className="ml-auto shrink-0 tabular-nums text-fg3">{timeText(state, part, elapsed)}</span>
        <ChevronRight className={`size-3.5 shrink-0 text-fg3 transition-transform ${open ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      <div id={details} hidden={!open} className="space-y-2 border-t border-line px-3 py-2.5">
        {open && <Details part={part} />}
      </div>
    </section>
  )
}

function Details({ part }: { part: DynamicToolUIPart }) {
  return (
    <>
      <Value label="Arguments" value={part.input} />
      {part.state === 'output-available' && <Value label="Result" value={part.output} />}
      {part.state === 'output-error' && <Value label="Error" value={part.errorText} />}
    </>
  )
}

function Value({ label, value }: { label: string; value: unknown }) {
  return (
    <div>
      <h3 className="text-[11.5px] font-semibold text-fg3">{label}</h3>
      <pre className="mt-0.5 max-h-56 overflow-auto whitespace-pre-wrap font-mono text-[12px] leading-[1.55] text-fg2" tabIndex={0}>
        {readable(value)}
      </pre>
    </div>
  )
}
