import { memo } from 'react'
import type { ChatMessage, ChatPart, WaitReason } from '../../api/messageTypes'
import { filesOf } from '../../files/fileParts'
import { SentFiles } from '../../files/SentFiles'
import { messageToolText, textOf } from '../messageText'
import { sourcesOf } from '../parts/citedSources'
import { PartView } from '../parts/PartView'
import { Sources } from '../parts/Sources'
import { UserMessage } from '../parts/UserMessage'
import type { Session } from '../session/session'
import { AnswerFooter, QuestionFooter } from './MessageFooter'
import { QuestionEditor } from './QuestionEditor'

/** `live`: this answer is being written. `busy`: any answer is. `waiting`: what this answer waits for. `editing`: the question is being edited. */
type Props = { message: ChatMessage; session: Session; live: boolean; busy: boolean; waiting: WaitReason; isLast: boolean; editing: boolean }

export const Message = memo(function Message(props: Props) {
  return props.message.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})

function Question({ message, session, busy, editing }: Props) {
  if (editing && !busy) return <QuestionEditor message={message} session={session} />
  return (
    <div className="group">
      <SentFiles files={filesOf(message)} />
      <UserMessage text={textOf(message)} />
      <QuestionFooter message={message} session={session} busy={busy} />
    </div>
  )
}

/** Parts that are shown elsewhere, or not at all. */
const HIDDEN_TYPES = new Set<string>(['step-start', 'source-url', 'data-suggestions', 'data-agent-step'])
const isVisible = (part: ChatPart): boolean => !HIDDEN_TYPES.has(part.type) && !(part.type === 'text' && part.text === '') && messageToolText(part) !== ''

/** The row of a tool call keeps what was typed into it when the stored message replaces the streamed one. */
const keyOf = (part: ChatPart, index: number): string | number => ('toolCallId' in part ? part.toolCallId : index)

function Answer({ message, session, live, busy, waiting, isLast }: Props) {
  const sources = sourcesOf(message)
  const silent = live && !message.parts.some(isVisible)
  return (
    <div className="group">
      <div className="space-y-4">
        {message.parts.map((part, index) => (
          <PartView key={keyOf(part, index)} part={part} answer={{ live, waiting }} siblings={message.parts} session={session} />
        ))}
        {sources.length > 0 && <Sources sources={sources} />}
        {silent && <p className="shimmer w-fit text-[14px]">Waiting for the answer…</p>}
      </div>
      {!live && !waiting && <AnswerFooter message={message} session={session} isLast={isLast} busy={busy} />}
    </div>
  )
}
