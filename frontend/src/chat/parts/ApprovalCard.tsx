import { useId, useState, type ReactNode } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { Trans, useLingui } from '@lingui/react/macro'
import { ShieldQuestionMark, SquarePen } from 'lucide-react'
import { boot, canWrite } from '../../api/boot'
import { errorMessage } from '../../api/client'
import { MESSAGE_BOX } from '../../navigation/shortcuts'
import { HostLine } from '../../plainText/HostLine'
import { PlainText } from '../../plainText/PlainText'
import { displayName, formatValue } from '../work/format'
import { question, requestFacts, sizeOf } from './approvalRequest'

export type ApprovalRequestPart = Extract<DynamicToolUIPart, { state: 'approval-requested' }>
type Decide = (approvalId: string, approved: boolean, reason?: string, lasts?: boolean) => Promise<void>

/** Asks the user whether a tool may be called with these arguments. The run waits for the decision. */
export function ApprovalCard({ part, onDecide, onNewChat }: { part: ApprovalRequestPart; onDecide: Decide; onNewChat(): void }) {
  const title = useId()
  const organization = boot.organization.name
  const name = part.title ?? displayName(part.toolName)
  const { reason, host, mayLast } = requestFacts(part.approval.requestReason)
  return (
    <section data-approval aria-labelledby={title} className="rounded-xl border border-accent/45 bg-raise px-4 py-3.5 shadow-pop">
      <h3 id={title} className="flex items-center gap-2.5 text-[14px] font-semibold">
        <ShieldQuestionMark className="size-4.5 shrink-0 text-accent" aria-hidden />
        <span>
          <PlainText text={question(part.toolName, name)} />
        </span>
      </h3>
      <p className="mt-1 text-[13.5px] text-fg2">{reason || <Trans>The assistant wants to run this with these inputs.</Trans>}</p>
      <Arguments input={part.input} host={host} />
      {canWrite ? <Decision approvalId={part.approval.id} onDecide={onDecide} mayLast={mayLast} onNewChat={reason ? onNewChat : undefined} /> : <p className="mt-3 text-[13px] text-fg3"><Trans>Only members of {organization} who can write decide this.</Trans></p>}
    </section>
  )
}

function Arguments({ input, host }: { input: unknown; host: string }) {
  const { t } = useLingui()
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const entries = isObject ? Object.entries(input) : [[t`Input`, input] as const]
  return (
    <div role="group" aria-label={t`What is sent`} className="mt-3 rounded-lg bg-code px-3 py-2.5 text-[12.5px]">
      {entries.length === 0 && <p className="text-fg3"><Trans>No inputs.</Trans></p>}
      <dl className="grid grid-cols-[minmax(3.5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-2">
        {host && (
          <Input label={t`Goes to`}>
            <HostLine host={host} />
          </Input>
        )}
        {entries.map(([name, value]) => (
          <Input key={name} label={<PlainText text={name} />} size={sizeOf(formatValue(value))}>
            <pre className="max-h-44 overflow-auto whitespace-pre-wrap font-mono text-[12px] leading-[1.55] text-fg [overflow-wrap:anywhere]" tabIndex={0} dir="ltr">
              <PlainText text={formatValue(value)} lines />
            </pre>
          </Input>
        ))}
      </dl>
    </div>
  )
}

function Input({ label, size = '', children }: { label: ReactNode; size?: string; children: ReactNode }) {
  return (
    <>
      <dt className="max-w-[10rem] text-fg3 [overflow-wrap:anywhere]">{label}</dt>
      <dd className="min-w-0">
        {children}
        {size && <span className="block text-[11.5px] text-fg3">{size}</span>}
      </dd>
    </>
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

type DecisionProps = { approvalId: string; onDecide: Decide; mayLast: boolean; onNewChat: (() => void) | undefined }

/** `onNewChat`: it asks because of what the chat contains, so a new chat would not ask. */
function Decision({ approvalId, onDecide, mayLast, onNewChat }: DecisionProps) {
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
  const decide = async (approved: boolean, lasts = false) => {
    const before = step
    setState({ step: 'sending', error: '' })
    try {
      await onDecide(approvalId, approved, approved ? '' : reason.trim(), lasts)
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
        <div className="flex flex-wrap items-center gap-2">
          <button type="button" className="btn-primary" disabled={sending} onClick={() => void decide(true)}>
            {mayLast ? <Trans>Allow once</Trans> : <Trans>Allow</Trans>}
          </button>
          {mayLast && (
            <button type="button" className="btn" disabled={sending} onClick={() => void decide(true, true)}>
              <Trans>Always in this chat</Trans>
            </button>
          )}
          <button type="button" className="btn" disabled={sending} onClick={refuse}>
            <Trans>Don’t allow</Trans>
          </button>
          {onNewChat && (
            <button type="button" className="ghost inline-flex min-h-8 items-center pointer-coarse:min-h-11 gap-1.5 rounded-lg px-2 text-[13px] text-fg2 hover:bg-hover" onClick={onNewChat}>
              <SquarePen className="size-3.5" aria-hidden />
              <Trans>New chat without files</Trans>
            </button>
          )}
        </div>
      )}
    </div>
  )
}

const MAX_CHARACTERS = 500

function Refusal(props: { reason: string; onReason(reason: string): void; onSend(): void; onBack(): void }) {
  const { t } = useLingui()
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) props.onSend()
    else if (event.key === 'Escape') props.onBack()
    else return
    event.preventDefault()
  }
  return (
    <div className="rise">
      <label className="block text-[12.5px] font-medium text-fg2">
        <Trans>Reason (optional)</Trans>
        <input
          autoFocus
          value={props.reason}
          maxLength={MAX_CHARACTERS}
          onChange={(event) => props.onReason(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={t`The assistant reads it`}
          className="field mt-1 font-normal"
        />
      </label>
      <div className="mt-2 flex flex-wrap gap-2">
        <button type="button" className="btn-primary" onClick={props.onSend}>
          <Trans>Don’t allow</Trans>
        </button>
        <button type="button" className="btn" onClick={props.onBack}>
          <Trans>Back</Trans>
        </button>
      </div>
    </div>
  )
}
