import { useId, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, MessageSquarePlus, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { FEEDBACK_REASONS, TEXT_LIMITS, type Feedback, type Reason } from '../../api/generated'
import { charactersOver, TooLong } from '../../sharing/TooLong'

const REASONS = Object.keys(FEEDBACK_REASONS) as Reason[]

type Props = { rating: Feedback['rating']; initial: Feedback | null; onSend(feedback: Feedback): Promise<void> }

/** A comment about an answer, and for thumbs down the reasons. In a popover. */
export function FeedbackForm({ rating, initial, onSend }: Props) {
  const { t } = useLingui()
  const [reasons, setReasons] = useState<readonly Reason[]>(initial?.reasons ?? [])
  const [comment, setComment] = useState(initial?.comment ?? '')
  const limit = useId()
  const isGood = rating === 'up'
  const over = charactersOver(comment, TEXT_LIMITS.feedback)
  const toggle = (value: Reason) => setReasons(reasons.includes(value) ? reasons.filter((one) => one !== value) : [...reasons, value])
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    void onSend({ rating, reasons, comment: comment.trim() })
  }
  return (
    <form onSubmit={submit}>
      <div className="flex items-center justify-between">
        <h2 className="text-[13.5px] font-semibold text-fg">{isGood ? t`What was good?` : t`What was wrong?`}</h2>
        <Popover.Close className="icon -me-1.5 -mt-1 size-7 pointer-coarse:size-11" aria-label={t`Close`} title={t`Close`}>
          <X className="size-3.5" aria-hidden />
        </Popover.Close>
      </div>
      {!isGood && (
        <div role="group" aria-label={t`Reasons`} className="mt-2 flex flex-wrap gap-2">
          {REASONS.map((reason) => (
            <ReasonChip key={reason} label={t(FEEDBACK_REASONS[reason])} on={reasons.includes(reason)} onToggle={() => toggle(reason)} />
          ))}
        </div>
      )}
      <textarea
        autoFocus={isGood} // it was asked for, and the button that did so is gone
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        rows={2}
        aria-label={t`Comment`}
        aria-invalid={over > 0}
        aria-describedby={limit}
        placeholder={isGood ? t`What should stay as it is?` : t`What would have been right?`}
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

/** What thumbs up offers, and no more: most who praise an answer want to go on. */
export function AddComment({ onAdd }: { onAdd(): void }) {
  return (
    <button type="button" className="ghost" onClick={onAdd}>
      <MessageSquarePlus className="size-3.5" aria-hidden />
      <Trans>Add a comment</Trans>
    </button>
  )
}
