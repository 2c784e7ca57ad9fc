import { CircleAlert, Pencil, RotateCcw } from 'lucide-react'
import { focusMessageBox } from '../../navigation/shortcuts'
import type { Interjections } from '../session/messageQueue'
import { OWN_BUBBLE } from './UserMessage'
import type { Pending } from '../session/queuedMessages'

type Props = { pending: readonly Pending[]; interjections: Interjections }

/** What was sent into the answer and is not in it yet. It stands where it will appear. */
export function PendingMessages({ pending, interjections }: Props) {
  if (pending.length === 0) return null
  return (
    <ul aria-label="Messages on their way" className="space-y-3 pb-7">
      {pending.map((message) => (
        <li key={message.id} className="rise">
          <div className={`${OWN_BUBBLE} ${message.state === 'failed' ? 'ring-1 ring-bad' : 'text-fg2'}`}>{message.text}</div>
          {message.state === 'failed' ? <Failed message={message} interjections={interjections} /> : <p className="mt-1 text-right text-[12px] text-fg3">{ON_ITS_WAY[message.state]}</p>}
        </li>
      ))}
    </ul>
  )
}

const ON_ITS_WAY = {
  sending: 'Sending…',
  held: 'Goes out when the server can be reached again',
  accepted: 'Will be read next',
  late: 'Sending…',
} as const

function Failed({ message, interjections }: { message: Pending; interjections: Interjections }) {
  const edit = () => {
    interjections.edit(message.id)
    focusMessageBox()
  }
  return (
    <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-[12.5px] text-bad">
      <p className="flex min-w-0 items-start gap-1.5">
        <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
        Not sent: {message.error}
      </p>
      <button type="button" className="btn text-fg" onClick={() => void interjections.retry(message.id)}>
        <RotateCcw className="size-3.5" aria-hidden />
        Send again
      </button>
      <button type="button" className="btn text-fg" onClick={edit}>
        <Pencil className="size-3.5" aria-hidden />
        Edit
      </button>
    </div>
  )
}
