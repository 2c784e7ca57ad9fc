import { Trans } from '@lingui/react/macro'
import { CircleAlert, Pencil, RotateCcw, WifiOff } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { ChatMessage } from '../../api/messageTypes'
import { focusMessageBox } from '../../navigation/shortcuts'
import type { Session } from '../session/session'
import type { ConversationModel } from '../useConversation'
import { QueuedMessages } from './QueuedMessages'
import { SuggestionChips } from './SuggestionChips'

type Props = { session: Session; conversation: ConversationModel }

/** The area below the newest message: queued messages, and the state of the answer. */
export function EndOfThread({ session, conversation }: Props) {
  return (
    <>
      <QueuedMessages messages={conversation.queue} queue={session.queue} />
      <AnswerStatus session={session} conversation={conversation} />
    </>
  )
}

/** Shows that an answer is awaited, that the connection broke, or what the user can do next. */
function AnswerStatus({ session, conversation }: Props) {
  const { display, state, error, messages } = conversation
  const last = messages.at(-1)
  if (display.reconnecting) return <ReconnectingNotice />
  if (state.connection === 'lost') return <ConnectionLostNotice unsent={last?.role === 'user'} onRetry={() => session.recover()} />
  if (display.running) return last?.role === 'user' ? <p className="shimmer w-fit text-[14px]"><Trans>Waiting for the answer…</Trans></p> : null
  if (!last || !canWrite || state.waiting) return null
  if (error && !hasErrorNotice(last)) return <FailureNotice text={error.message} session={session} />
  if (last.role === 'user') return <TryAgain onRetry={() => void session.retry()} />
  return noticesOf(last).some((notice) => notice.action) ? null : <SuggestionChips items={suggestionsOf(last)} onChoose={conversation.send} />
}

const noticesOf = (message: ChatMessage) => message.parts.filter((part) => part.type === 'data-notice').map((part) => part.data)
const hasErrorNotice = (message: ChatMessage): boolean => noticesOf(message).some((notice) => notice.level === 'error')

/** The question has no answer. */
function TryAgain({ onRetry }: { onRetry(): void }) {
  return (
    <button type="button" className="btn relative -mt-4" onClick={onRetry}>
      <RotateCcw className="size-3.5" aria-hidden />
      <Trans>Try again</Trans>
    </button>
  )
}

const suggestionsOf = (message: ChatMessage): readonly string[] => message.parts.findLast((part) => part.type === 'data-suggestions')?.data.items ?? []

function ReconnectingNotice() {
  return (
    <p className="flex w-fit items-center gap-2 text-[14px] text-fg2">
      <WifiOff className="size-4" aria-hidden />
      <span className="shimmer"><Trans>Reconnecting…</Trans></span>
    </p>
  )
}

function ConnectionLostNotice({ unsent, onRetry }: { unsent: boolean; onRetry(): void }) {
  return (
    <div role="alert" className="alert-bad">
      <WifiOff className="size-4 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1">
        {unsent ? <Trans>The server can’t be reached, so your message may not have arrived.</Trans> : <Trans>The connection is lost. The answer is still being written.</Trans>}
      </p>
      <button type="button" className="btn" onClick={onRetry}>
        <RotateCcw className="size-3.5" aria-hidden />
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}

/** The answer failed, or the server refused the message. A refused message can be edited. */
function FailureNotice({ text, session }: { text: string; session: Session }) {
  const edit = () => {
    session.editRefused()
    focusMessageBox()
  }
  return (
    <div role="alert" className="alert-bad">
      <CircleAlert className="size-4 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1">{text}</p>
      <button type="button" className="btn" onClick={() => void session.retry()}>
        <RotateCcw className="size-3.5" aria-hidden />
        <Trans>Try again</Trans>
      </button>
      {session.refusedMessage && (
        <button type="button" className="btn" onClick={edit}>
          <Pencil className="size-3.5" aria-hidden />
          <Trans>Edit</Trans>
        </button>
      )}
    </div>
  )
}
