import { useId, useRef, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, ThumbsDown, ThumbsUp, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { FEEDBACK_REASONS, TEXT_LIMITS, type Feedback, type Reason } from '../../api/generated'
import type { ChatMessage } from '../../api/messageTypes'
import { charactersOver, TooLong } from '../../sharing/TooLong'
import { showToast } from '../../ui/toasts'
import type { Session } from '../session/session'

type Props = { message: ChatMessage; session: Session }

const REASONS = Object.keys(FEEDBACK_REASONS) as Reason[]

/** Thumbs up and down. A thumb counts at once; thumbs down asks what was wrong. */
export function FeedbackButtons({ message, session }: Props) {
  const { t } = useLingui()
  const [asking, setAsking] = useState(false)
  const thumb = useRef<HTMLButtonElement>(null)
  const feedback = message.metadata?.feedback ?? null
  const press = (rating: Feedback['rating']) => {
    const isOn = feedback?.rating === rating
    void session.messages.rate(message.id, isOn ? null : { rating })
    setAsking(!isOn && rating === 'down')
  }
  /** The form has no trigger to go back to, only an anchor. Somebody who clicked elsewhere stays there. */
  const focusThumb = (event: Event) => {
    event.preventDefault()
    if (document.activeElement === document.body) thumb.current?.focus()
  }
  return (
    <>
      <button type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={feedback?.rating === 'up'} aria-label={t`Good answer`} title={t`Good answer`} onClick={() => press('up')}>
        <ThumbsUp className="size-3.5" aria-hidden />
      </button>
      <Popover.Root open={asking} onOpenChange={(open) => !open && setAsking(false)}>
        <Popover.Anchor asChild>
          <button ref={thumb} type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={feedback?.rating === 'down'} aria-label={t`Bad answer`} title={t`Bad answer`} onClick={() => press('down')}>
            <ThumbsDown className="size-3.5" aria-hidden />
          </button>
        </Popover.Anchor>
        <Popover.Portal>
          <Popover.Content className="menu rise w-[min(21.75rem,92vw)] p-4" align="start" sideOffset={6} collisionPadding={12} aria-label={t`What was wrong?`} onCloseAutoFocus={focusThumb}>
            <ReasonForm
              initial={feedback}
              onSend={async (review) => {
                if (!(await session.messages.rate(message.id, review))) return
                setAsking(false)
                showToast(t`Thank you. Your admins see this with the answer.`)
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </>
  )
}

function ReasonForm({ initial, onSend }: { initial: Feedback | null; onSend(feedback: Feedback): Promise<void> }) {
  const { t } = useLingui()
  const [reasons, setReasons] = useState<readonly Reason[]>(initial?.reasons ?? [])
  const [comment, setComment] = useState(initial?.comment ?? '')
  const limit = useId()
  const over = charactersOver(comment, TEXT_LIMITS.feedback)
  const toggle = (value: Reason) => setReasons(reasons.includes(value) ? reasons.filter((one) => one !== value) : [...reasons, value])
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    void onSend({ rating: 'down', reasons, comment: comment.trim() })
  }
  return (
    <form onSubmit={submit}>
      <div className="flex items-center justify-between">
        <h2 className="text-[13.5px] font-semibold text-fg"><Trans>What was wrong?</Trans></h2>
        <Popover.Close className="icon -me-1.5 -mt-1 size-7 pointer-coarse:size-11" aria-label={t`Close`} title={t`Close`}>
          <X className="size-3.5" aria-hidden />
        </Popover.Close>
      </div>
      <div role="group" aria-label={t`Reasons`} className="mt-2 flex flex-wrap gap-2">
        {REASONS.map((reason) => (
          <ReasonChip key={reason} label={t(FEEDBACK_REASONS[reason])} on={reasons.includes(reason)} onToggle={() => toggle(reason)} />
        ))}
      </div>
      <textarea
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        rows={2}
        aria-label={t`Comment`}
        aria-invalid={over > 0}
        aria-describedby={limit}
        placeholder={t`What would have been right?`}
        className="mt-3 block max-h-40 w-full resize-none rounded-xl border border-line2 bg-bg px-3 py-2 text-[13px] text-fg outline-none [field-sizing:content] placeholder:text-fg3 focus:border-accent aria-invalid:border-bad"
      />
      <TooLong id={limit} over={over} />
      <div className="mt-3 flex items-center justify-between gap-3">
        <p className="text-[12px] text-fg3"><Trans>Your admins see this with the answer.</Trans></p>
        <button type="submit" className="btn-primary" disabled={over > 0 || (reasons.length === 0 && !comment.trim())}>
          <Trans>Send</Trans>
        </button>
      </div>
    </form>
  )
}

function ReasonChip({ label, on, onToggle }: { label: string; on: boolean; onToggle(): void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onToggle}
      className="inline-flex min-h-7 items-center gap-1 rounded-full border border-line2 px-2.5 text-[12.5px] text-fg2 transition-colors hover:bg-hover aria-pressed:border-accent aria-pressed:bg-soft aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:min-h-11"
    >
      {on && <Check className="size-3.5" aria-hidden />}
      {label}
    </button>
  )
}
