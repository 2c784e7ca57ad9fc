import { memo } from 'react'
import { Markdown } from '../markdown/Markdown'
import { MessageFooter } from './MessageFooter'
import { ArtifactChip } from './parts/ArtifactChip'
import { NoticeRow } from './parts/NoticeRow'
import { Reasoning } from './parts/Reasoning'
import { ToolRow } from './parts/ToolRow'
import type { Session } from './session'
import { textOf } from './text'
import type { ChatMessage, ChatPart } from './types'

type Props = { message: ChatMessage; session: Session; live: boolean; isLast: boolean }

export const Message = memo(function Message(props: Props) {
  return props.message.role === 'user' ? <OwnMessage text={textOf(props.message)} /> : <Answer {...props} />
})

function OwnMessage({ text }: { text: string }) {
  return (
    <div className="ml-auto w-fit max-w-[85%] whitespace-pre-wrap rounded-[20px] rounded-br-md bg-bubble px-4 py-2.5 text-[15.5px] leading-[1.6] [overflow-wrap:anywhere]">
      {text}
    </div>
  )
}

const isVisible = (part: ChatPart): boolean => part.type !== 'step-start' && !(part.type === 'text' && part.text === '')

function Answer({ message, session, live, isLast }: Props) {
  const waiting = live && !message.parts.some(isVisible)
  return (
    <div className="group">
      <div className="space-y-4">
        {message.parts.map((part, index) => (
          <PartView key={index} part={part} live={live} conversationId={session.id} />
        ))}
        {waiting && <p className="shimmer w-fit text-[14px]">Waiting for the answer…</p>}
      </div>
      {!live && <MessageFooter message={message} session={session} isLast={isLast} />}
    </div>
  )
}

/** One part. A kind that this page does not know shows nothing: a newer server may send it. */
function PartView({ part, live, conversationId }: { part: ChatPart; live: boolean; conversationId: string }) {
  switch (part.type) {
    case 'text':
      return part.text ? <Markdown text={part.text} streaming={live && part.state === 'streaming'} /> : null
    case 'reasoning':
      return <Reasoning part={part} live={live && part.state === 'streaming'} />
    case 'dynamic-tool':
      return <ToolRow part={part} live={live} />
    case 'data-artifact':
      return <ArtifactChip part={part.data} conversationId={conversationId} />
    case 'data-notice':
      return <NoticeRow notice={part.data} />
    default:
      return null
  }
}
