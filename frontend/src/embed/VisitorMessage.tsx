import { Trans, useLingui } from '@lingui/react/macro'
import { Pencil, RotateCcw, ThumbsDown, ThumbsUp } from 'lucide-react'
import type { Feedback } from '../api/generated'
import type { ChatMessage, ChatPart, WaitReason } from '../api/messageTypes'
import { messageToolText, textOf } from '../chat/messageText'
import { sourcesOf } from '../chat/work/citedSources'
import { NoticeRow } from '../chat/parts/NoticeRow'
import { Plan } from '../chat/parts/Plan'
import { Sources } from '../chat/parts/Sources'
import { StateIcon } from '../chat/work/StateIcon'
import { toolState, type AnswerState } from '../chat/work/toolState'
import { callLabel } from '../chat/work/toolLabels'
import { UserMessage } from '../chat/parts/UserMessage'
import type { Session } from '../chat/session/session'
import { stableId } from '../chat/stableId'
import { QuestionEditor } from '../chat/message/QuestionEditor'
import { copiedHtml } from '../markdown/copiedHtml'
import { Markdown } from '../markdown/Markdown'
import { CopyButton } from '../ui/CopyButton'
import { PageChange } from './PageChange'
import { WRITE_TOOL } from './pageState'
import { emit } from './port'
import { VisitorDocument } from './VisitorDocument'
import { editMessage, regenerate, sendMessage } from './visit'

type ToolPart = Extract<ChatPart, { type: 'dynamic-tool' }>

export function VisitorQuestion({ message, session, editing, busy }: { message: ChatMessage; session: Session; editing: boolean; busy: boolean }) {
  const { t } = useLingui()
  if (editing && !busy) return <QuestionEditor message={message} session={session} onSend={(text) => editMessage(session, message, text)} />
  return (
    <div className="group relative">
      <UserMessage text={textOf(message)} />
      {!busy && (
        <div className="absolute end-0 -bottom-6 flex pointer-coarse:-bottom-10 text-fg3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <button type="button" className="icon size-6 pointer-coarse:size-11" aria-label={t`Edit and send again`} title={t`Edit and send again`} onClick={() => session.state.patch({ editingId: stableId(message) })}>
            <Pencil className="size-3.5" aria-hidden />
          </button>
        </div>
      )}
    </div>
  )
}

/** Whether the part says itself that it is being done. */
const isUnderWay = (part: ChatPart): boolean => (part.type === 'dynamic-tool' && part.state.startsWith('input-')) || (part.type === 'data-artifact' && part.data.status === 'streaming')

/** `live`: it is being written. `busy`: any answer is. `waiting`: what it waits for. */
type AnswerProps = { message: ChatMessage; session: Session; live: boolean; waiting: WaitReason; isLast: boolean; busy: boolean }

export function VisitorAnswer({ message, session, live, waiting, isLast, busy }: AnswerProps) {
  const sources = sourcesOf(message)
  return (
    <>
      <div className="space-y-3">
        {message.parts.map((part, index) => (
          <VisitorPart key={index} part={part} answer={{ live, waiting }} session={isLast && !busy ? session : undefined} />
        ))}
        {sources.length > 0 && <Sources sources={sources} />}
        {live && !textOf(message) && !message.parts.some(isUnderWay) && <p className="shimmer w-fit text-[14px]"><Trans>Waiting for the answer…</Trans></p>}
      </div>
      {!live && !waiting && <AnswerActions message={message} session={session} isLast={isLast} busy={busy} />}
    </>
  )
}

/** What a visitor sees of an answer: what it says, and in words what it does. What its tools were given and gave back is not a visitor's to read. */
function VisitorPart({ part, answer, session }: { part: ChatPart; answer: AnswerState; session: Session | undefined }) {
  switch (part.type) {
    case 'text':
      return part.text ? <Markdown text={part.text} streaming={answer.live && part.state === 'streaming'} /> : null
    case 'dynamic-tool':
      return <VisitorCall part={part} answer={answer} />
    case 'data-notice':
      return <NoticeRow notice={part.data} session={session} send={(text) => session && void sendMessage(session, text)} />
    case 'data-artifact':
      return <VisitorDocument part={part.data} />
    case 'data-plan':
      return <Plan plan={part.data} live={answer.live} />
    default:
      return null
  }
}

function VisitorCall({ part, answer }: { part: ToolPart; answer: AnswerState }) {
  const text = messageToolText(part)
  if (text !== undefined) return text ? <Markdown text={text} streaming={false} /> : null
  if (part.toolName === WRITE_TOOL) return <PageChange part={part} answer={answer} />
  if (part.toolName === 'plan') return null
  const callState = toolState(part, answer)
  const state = callState === 'asks' ? 'waits' : callState
  const words = callLabel(part, state === 'done' || state === 'failed' ? state : 'open')
  return (
    <p className={`flex w-fit items-center gap-2 text-[13px] text-fg2 ${state === 'running' ? 'shimmer' : ''}`}>
      <StateIcon state={state} />
      {words}
    </p>
  )
}

function AnswerActions({ message, session, isLast, busy }: { message: ChatMessage; session: Session; isLast: boolean; busy: boolean }) {
  const { t } = useLingui()
  const text = textOf(message)
  if (!text) return null
  return (
    <div className="-ms-2 mt-1 flex items-center text-fg3">
      <CopyButton text={text} what="answer" html={copiedHtml} />
      <Thumbs message={message} session={session} />
      {isLast && !busy && (
        <button type="button" className="icon" aria-label={t`Regenerate`} title={t`Regenerate`} onClick={() => regenerate(session, message.id)}>
          <RotateCcw className="size-3.5" aria-hidden />
        </button>
      )}
    </div>
  )
}

function Thumbs({ message, session }: { message: ChatMessage; session: Session }) {
  const { t } = useLingui()
  const currentRating = message.metadata?.feedback?.rating ?? null
  const rate = (rating: Feedback['rating']) => {
    const newRating = currentRating === rating ? null : rating
    emit('feedback', { id: message.id, rating: newRating })
    void session.messages.rate(message.id, newRating && { rating: newRating })
  }
  return (
    <>
      <button type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={currentRating === 'up'} aria-label={t`Good answer`} title={t`Good answer`} onClick={() => rate('up')}>
        <ThumbsUp className="size-3.5" aria-hidden />
      </button>
      <button type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={currentRating === 'down'} aria-label={t`Bad answer`} title={t`Bad answer`} onClick={() => rate('down')}>
        <ThumbsDown className="size-3.5" aria-hidden />
      </button>
    </>
  )
}
