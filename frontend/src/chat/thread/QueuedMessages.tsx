import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert, Pencil, RotateCcw } from 'lucide-react'
import { focusMessageBox } from '../../navigation/shortcuts'
import { USER_BUBBLE } from '../parts/UserMessage'
import type { MessageQueue } from '../session/messageQueue'
import type { QueuedMessage } from '../session/queuedMessages'

type Props = { messages: readonly QueuedMessage[]; queue: MessageQueue }

/** Messages that were sent into the answer and are not in it yet, at the place where they will appear. */
export function QueuedMessages({ messages, queue }: Props) {
  const { t } = useLingui()
  if (messages.length === 0) return null
  return (
    <ul aria-label={t`Messages on their way`} className="space-y-3 pb-7">
      {messages.map((message) => (
        <li key={message.id} className="rise">
          <div className={`${USER_BUBBLE} whitespace-pre-wrap ${message.state === 'failed' ? 'ring-1 ring-bad' : 'text-fg2'}`}>{message.text}</div>
          {message.state === 'failed' ? <FailedMessage message={message} queue={queue} /> : <p className="mt-1 text-end text-[12px] text-fg3">{t(STATUS_TEXT[message.state])}</p>}
        </li>
      ))}
    </ul>
  )
}

const STATUS_TEXT = {
  sending: msg`Sending…`,
  offline: msg`Will send when you’re back online`,
  accepted: msg`Queued`,
  late: msg`Sending…`,
} as const

function FailedMessage({ message, queue }: { message: QueuedMessage; queue: MessageQueue }) {
  const { error } = message
  const edit = () => {
    queue.edit(message.id)
    focusMessageBox()
  }
  return (
    <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-[12.5px] text-bad">
      <p className="flex min-w-0 items-start gap-1.5">
        <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
        <Trans>Not sent: {error}</Trans>
      </p>
      <button type="button" className="btn text-fg" onClick={() => void queue.retry(message.id)}>
        <RotateCcw className="size-3.5" aria-hidden />
        <Trans>Send again</Trans>
      </button>
      <button type="button" className="btn text-fg" onClick={edit}>
        <Pencil className="size-3.5" aria-hidden />
        <Trans>Edit</Trans>
      </button>
    </div>
  )
}
