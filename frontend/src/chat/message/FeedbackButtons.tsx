import { useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { Feedback } from '../../api/generated'
import type { ChatMessage } from '../../api/messageTypes'
import { showToast } from '../../ui/toasts'
import type { Session } from '../session/session'
import { AddComment, FeedbackForm } from './FeedbackForm'

type Props = { message: ChatMessage; session: Session }

/** Thumbs up and down. A thumb counts at once; thumbs down asks what was wrong, thumbs up only offers a comment. */
export function FeedbackButtons(props: Props) {
  return (
    <>
      <Thumb rating="up" {...props} />
      <Thumb rating="down" {...props} />
    </>
  )
}

type Step = 'closed' | 'offers' | 'asks'

function Thumb({ rating, message, session }: Props & { rating: Feedback['rating'] }) {
  const { t } = useLingui()
  const [step, setStep] = useState<Step>('closed')
  const thumb = useRef<HTMLButtonElement>(null)
  const feedback = message.metadata?.feedback ?? null
  const isGood = rating === 'up'
  const isOn = feedback?.rating === rating
  const label = isGood ? t`Good answer` : t`Bad answer`
  const Icon = isGood ? ThumbsUp : ThumbsDown
  const press = () => {
    void session.messages.rate(message.id, isOn ? null : { rating })
    setStep(isOn ? 'closed' : isGood ? 'offers' : 'asks')
  }
  const send = async (review: Feedback) => {
    if (!(await session.messages.rate(message.id, review))) return
    setStep('closed')
    showToast(t`Thank you. Your admins see this with the answer.`)
  }
  /** The form has no trigger to go back to, only an anchor. Somebody who clicked elsewhere stays there. */
  const focusThumb = (event: Event) => {
    event.preventDefault()
    if (document.activeElement === document.body) thumb.current?.focus()
  }
  return (
    <Popover.Root open={step !== 'closed'} onOpenChange={(open) => !open && setStep('closed')}>
      <Popover.Anchor asChild>
        <button ref={thumb} type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={isOn} aria-label={label} title={label} onClick={press}>
          <Icon className="size-3.5" aria-hidden />
        </button>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          className={`menu rise ${step === 'offers' ? 'min-w-0' : 'w-[min(21.75rem,92vw)] p-4'}`}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={isGood ? t`What was good?` : t`What was wrong?`}
          onCloseAutoFocus={focusThumb}
        >
          {step === 'offers' ? <AddComment onAdd={() => setStep('asks')} /> : <FeedbackForm rating={rating} initial={feedback} onSend={send} />}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
