import { memo } from 'react'
import { useLingui } from '@lingui/react'
import { Trans } from '@lingui/react/macro'
import { canWrite } from '../../api/boot'
import type { ChatMessage, WaitReason } from '../../api/messageTypes'
import { AnsweredBy } from '../../assistants/AnsweredBy'
import { filesOf } from '../../files/fileParts'
import { SentFiles } from '../../files/SentFiles'
import { textOf } from '../messageText'
import { sourcesOf } from '../work/citedSources'
import { BlockView } from '../parts/BlockView'
import { Sources } from '../parts/Sources'
import { UserMessage } from '../parts/UserMessage'
import { blocksOf } from '../work/workBlocks'
import type { Session } from '../session/session'
import { LiveFigures } from './AnswerFigures'
import { AnswerFooter, QuestionFooter } from './MessageFooter'
import { QuestionEditor } from './QuestionEditor'

/** `live`: this answer is being written. `busy`: any answer is. `waiting`: what this answer waits for. `editing`: the question is being edited. */
type Props = { message: ChatMessage; session: Session; live: boolean; busy: boolean; waiting: WaitReason; isLast: boolean; editing: boolean }

export const Message = memo(function Message(props: Props) {
  useLingui() // a change of the language redraws it
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

function Answer({ message, session, live, busy, waiting, isLast }: Props) {
  const sources = sourcesOf(message)
  const blocks = blocksOf(message.parts, live || waiting !== null)
  return (
    <div className="group">
      {message.metadata?.assistant && <AnsweredBy assistant={message.metadata.assistant} />}
      <div className="space-y-4">
        {blocks.map((block, index) => (
          <BlockView key={block.key} block={block} answer={{ live, waiting }} siblings={message.parts} session={session} last={index === blocks.length - 1} ends={isLast && !busy && canWrite} />
        ))}
        {sources.length > 0 && <Sources sources={sources} />}
        {live && blocks.length === 0 && <p className="shimmer w-fit text-[14px]"><Trans>Waiting for the answer…</Trans></p>}
      </div>
      {live && <LiveFigures message={message} />}
      {!live && !waiting && <AnswerFooter message={message} session={session} isLast={isLast} busy={busy} />}
    </div>
  )
}
