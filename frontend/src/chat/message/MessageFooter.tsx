import { useLingui } from '@lingui/react/macro'
import { Pencil, RotateCcw, Share2 } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { ChatMessage } from '../../api/messageTypes'
import { dateText } from '../../language/formats'
import { copiedHtml } from '../../markdown/copiedHtml'
import { CopyButton } from '../../ui/CopyButton'
import { openShareDialog } from '../../sharing/store'
import { relativeTime } from '../../ui/relativeTime'
import { useStore } from '../../ui/store'
import { textOf } from '../messageText'
import type { Session } from '../session/session'
import { stableId } from '../stableId'
import { AnswerFigures } from './AnswerFigures'
import { BranchArrows } from './BranchArrows'
import { DeleteMessageButton } from './DeleteMessageButton'
import { FeedbackButtons } from './FeedbackButtons'
import { ReadAloudButton } from './ReadAloudButton'

// Actions that show on hover or focus. Their place is reserved, so that nothing jumps.
const QUIET = 'opacity-0 transition-opacity group-hover:opacity-100 group-focus-within:opacity-100 in-[article:focus]:opacity-100 has-data-[state=open]:opacity-100 pointer-coarse:opacity-100'

const SMALL = '[&_.icon]:size-7 pointer-coarse:[&_.icon]:size-11'

/** `busy`: an answer is being written, so that the branch can't change. */
type Props = { message: ChatMessage; session: Session; busy: boolean }

/** What can be done with an answer, and what it cost. The footer of an older answer uses the space below it. */
export function AnswerFooter({ message, session, busy, isLast }: Props & { isLast: boolean }) {
  const { t } = useLingui()
  const text = textOf(message)
  const { isTemporary } = useStore(session.state)
  return (
    <div className={`${SMALL} -ms-1.5 flex min-h-8 flex-wrap items-center gap-x-1 text-fg3 ${isLast ? 'mt-2' : '-mb-7 pointer-coarse:mb-0'}`}>
      {!busy && <BranchArrows message={message} session={session} />}
      <div className={`flex items-center gap-x-0.5 pointer-coarse:contents ${isLast ? '' : QUIET}`}>
        {text && <CopyButton text={text} what="answer" html={copiedHtml} />}
        {canWrite && !busy && (
          <button type="button" className="icon" onClick={() => void session.messages.regenerate(message.id)} aria-label={t`Regenerate`} title={t`Regenerate`}>
            <RotateCcw className="size-3.5" aria-hidden />
          </button>
        )}
        {canWrite && <FeedbackButtons message={message} session={session} />}
        {text && <ReadAloudButton messageId={message.id} />}
        {text && canWrite && !busy && !isTemporary && (
          <button type="button" className="icon" onClick={() => openShareDialog({ of: 'answer', id: message.id, title: '' })} aria-label={t`Share this answer`} title={t`Share this answer`}>
            <Share2 className="size-3.5" aria-hidden />
          </button>
        )}
        {canWrite && !busy && <DeleteMessageButton messageId={message.id} what="answer" session={session} isLast={isLast} />}
      </div>
      <span className={`ms-auto ${isLast ? '' : QUIET}`}>
        <AnswerFigures message={message} conversationId={session.id} />
      </span>
    </div>
  )
}

/** What can be done with a question. */
export function QuestionFooter({ message, session, busy }: Props) {
  const { t } = useLingui()
  const edit = () => session.state.patch({ editingId: stableId(message) })
  return (
    <div className={`${SMALL} -mb-7 -me-1 flex min-h-7 items-center justify-end gap-x-1 text-fg3 pointer-coarse:mb-0`}>
      <div className={`flex items-center gap-x-0.5 ${QUIET}`}>
        <SentAt time={message.metadata?.createdAt} />
        <CopyButton text={textOf(message)} what="message" />
        {canWrite && !busy && (
          <button type="button" className="icon" onClick={edit} aria-label={t`Edit and send again`} title={t`Edit and send again`}>
            <Pencil className="size-3.5" aria-hidden />
          </button>
        )}
        {canWrite && !busy && <DeleteMessageButton messageId={message.id} what="message" session={session} />}
      </div>
      {!busy && <BranchArrows message={message} session={session} />}
    </div>
  )
}

/** The words are the style's, so that they are not selected and copied with the message. */
function SentAt({ time }: { time: string | undefined }) {
  if (!time) return null
  const at = new Date(time)
  return (
    <time dateTime={time} title={dateText(at, { dateStyle: 'short', timeStyle: 'medium' })} data-text={relativeTime(at.getTime(), Date.now())} className="pe-1 text-[12px] tabular-nums before:content-[attr(data-text)]" />
  )
}
