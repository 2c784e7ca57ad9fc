import { useId, useState } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { ShieldQuestionMark } from 'lucide-react'
import { boot, canWrite } from '../../api/boot'
import { errorMessage } from '../../api/client'
import { MESSAGE_BOX } from '../../navigation/shortcuts'
import { displayName } from './format'
import { Value } from './Value'

export type ApprovalRequestPart = Extract<DynamicToolUIPart, { state: 'approval-requested' }>
type Decide = (approvalId: string, approved: boolean, reason?: string) => Promise<void>

/** Asks the user whether a tool may be called with these arguments. The run waits for the decision. */
export function ApprovalCard({ part, onDecide }: { part: ApprovalRequestPart; onDecide: Decide }) {
  const title = useId()
  const name = part.title ?? displayName(part.toolName)
  return (
    <section data-approval aria-labelledby={title} className="rounded-xl border border-accent/45 bg-raise px-4 py-3.5 shadow-pop">
      <h3 id={title} className="flex items-center gap-2.5 text-[14px] font-semibold">
        <ShieldQuestionMark className="size-4.5 shrink-0 text-accent" aria-hidden />
        <span>Allow “{name}”?</span>
      </h3>
      <p className="mt-1 text-[13.5px] text-fg2">The assistant wants to use this tool with exactly these values. It waits for you.</p>
      {part.approval.requestReason && <p className="mt-2.5 rounded-lg bg-warn-soft px-3 py-2 text-[13.5px]">{part.approval.requestReason}</p>}
      <Arguments input={part.input} />
      {canWrite ? <Decision approvalId={part.approval.id} onDecide={onDecide} /> : <p className="mt-3 text-[13px] text-fg3">Somebody who may write in {boot.organization.name} decides.</p>}
    </section>
  )
}

function Arguments({ input }: { input: unknown }) {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const named = isObject ? Object.entries(input) : [['Input', input] as const]
  return (
    <div role="group" aria-label="Values" className="mt-3 space-y-2 rounded-lg bg-code px-3 py-2.5">
      {named.length === 0 && <p className="text-[12.5px] text-fg3">No values.</p>}
      {named.map(([name, value]) => (
        <Value key={name} label={name} value={value} />
      ))}
    </div>
  )
}

/** Moves the focus to the next request, or to the message box. After a decision, the buttons that had it are gone. */
function focusNext(): void {
  const next = document.querySelector<HTMLElement>('[data-approval] button:not(:disabled)') ?? document.getElementById(MESSAGE_BOX)
  next?.focus({ preventScroll: true })
}

/** Unsent reasons by approval id, so that a card that is mounted again still has them. */
const draftReasons = new Map<string, string>()

type State = { readonly step: 'open' | 'reason' | 'sending'; readonly error: string }

function Decision({ approvalId, onDecide }: { approvalId: string; onDecide: Decide }) {
  const [{ step, error }, setState] = useState<State>({ step: draftReasons.has(approvalId) ? 'reason' : 'open', error: '' })
  const [reason, setReason] = useState(draftReasons.get(approvalId) ?? '')
  const write = (text: string) => {
    draftReasons.set(approvalId, text)
    setReason(text)
  }
  const refuse = () => {
    write(reason)
    setState({ step: 'reason', error: '' })
  }
  const goBack = () => {
    draftReasons.delete(approvalId)
    setState({ step: 'open', error: '' })
  }
  const decide = async (approved: boolean) => {
    const before = step
    setState({ step: 'sending', error: '' })
    try {
      await onDecide(approvalId, approved, approved ? '' : reason.trim())
      draftReasons.delete(approvalId)
      setTimeout(focusNext) // after the card is gone
    } catch (problem) {
      setState({ step: before, error: errorMessage(problem) })
    }
  }
  const sending = step === 'sending'
  return (
    <div className="mt-3">
      {error && (
        <p role="alert" className="mb-2 text-[13px] text-bad">
          {error}
        </p>
      )}
      {step === 'reason' ? (
        <Refusal reason={reason} onReason={write} onSend={() => void decide(false)} onBack={goBack} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <button type="button" className="btn-primary" disabled={sending} onClick={() => void decide(true)}>
            Allow
          </button>
          <button type="button" className="btn" disabled={sending} onClick={refuse}>
            Don’t allow
          </button>
        </div>
      )}
    </div>
  )
}

const MAX_CHARACTERS = 500

function Refusal(props: { reason: string; onReason(reason: string): void; onSend(): void; onBack(): void }) {
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) props.onSend()
    else if (event.key === 'Escape') props.onBack()
    else return
    event.preventDefault()
  }
  return (
    <div className="rise">
      <label className="block text-[12.5px] font-medium text-fg2">
        Reason, if you want to give one
        <input
          autoFocus
          value={props.reason}
          maxLength={MAX_CHARACTERS}
          onChange={(event) => props.onReason(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder="The assistant reads it"
          className="mt-1 block h-9 w-full rounded-lg border border-line2 bg-bg px-3 text-[14px] font-normal text-fg outline-none placeholder:text-fg3 focus:border-accent"
        />
      </label>
      <div className="mt-2 flex flex-wrap gap-2">
        <button type="button" className="btn-primary" onClick={props.onSend}>
          Don’t allow
        </button>
        <button type="button" className="btn" onClick={props.onBack}>
          Back
        </button>
      </div>
    </div>
  )
}
