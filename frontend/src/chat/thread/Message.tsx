import { memo } from 'react'
import type { DynamicToolUIPart } from 'ai'
import type { ChatMessage, ChatPart, WaitReason } from '../../api/messageTypes'
import { filesOf } from '../../files/fileParts'
import { GeneratedFile } from '../../files/GeneratedFile'
import { SentFiles } from '../../files/SentFiles'
import { Markdown } from '../../markdown/Markdown'
import { MessageFooter } from './MessageFooter'
import { UserMessage } from './UserMessage'
import { hasApprovalRequest, generatedFiles, stepsOf } from '../parts/agentSteps'
import { ApprovalCard } from '../parts/ApprovalCard'
import { ArtifactChip } from '../parts/ArtifactChip'
import { sourcesOf } from '../parts/citedSources'
import { NoticeRow } from '../parts/NoticeRow'
import { Plan } from '../parts/Plan'
import { Reasoning } from '../parts/Reasoning'
import { Sources } from '../parts/Sources'
import { SubAgentSteps } from '../parts/SubAgentSteps'
import { ToolRow } from '../parts/ToolRow'
import { toolState, type AnswerState } from '../parts/toolState'
import { WorkflowLine } from '../parts/WorkflowLine'
import type { Session } from '../session/session'
import { messageToolText, steeringText, textOf } from '../messageText'

/** `waiting`: what this answer waits for. */
type Props = { message: ChatMessage; session: Session; live: boolean; waiting: WaitReason; isLast: boolean }

export const Message = memo(function Message(props: Props) {
  return props.message.role === 'user' ? <Question message={props.message} /> : <Answer {...props} />
})

function Question({ message }: { message: ChatMessage }) {
  return (
    <>
      <SentFiles files={filesOf(message)} />
      <UserMessage text={textOf(message)} />
    </>
  )
}

/** Parts that are shown elsewhere, or not at all. */
const HIDDEN_TYPES = new Set<string>(['step-start', 'source-url', 'data-suggestions', 'data-agent-step'])
const isVisible = (part: ChatPart): boolean => !HIDDEN_TYPES.has(part.type) && !(part.type === 'text' && part.text === '') && messageToolText(part) !== ''

/** The row of a tool call keeps what was typed into it when the stored message replaces the streamed one. */
const keyOf = (part: ChatPart, index: number): string | number => ('toolCallId' in part ? part.toolCallId : index)

function Answer({ message, session, live, waiting, isLast }: Props) {
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
      {!live && !waiting && <MessageFooter message={message} session={session} isLast={isLast} />}
    </div>
  )
}

/** `siblings`: all parts of the same run; the steps of its sub-agents are among them. `folded`: the part is such a step. */
type PartProps<P> = { part: P; answer: AnswerState; siblings: readonly ChatPart[]; session: Session; folded?: boolean }

/** One part of a message. A type from a newer server, which this page does not know, shows nothing. */
function PartView({ part, answer, siblings, session, folded = false }: PartProps<ChatPart>) {
  const { live } = answer
  switch (part.type) {
    case 'text':
      return part.text ? <Markdown text={part.text} streaming={live && part.state === 'streaming'} /> : null
    case 'reasoning':
      return <Reasoning part={part} live={live && part.state === 'streaming'} />
    case 'dynamic-tool':
      return <ToolView part={part} answer={answer} siblings={siblings} session={session} folded={folded} />
    case 'steering-message':
      return (
        <div role="group" aria-label="You, meanwhile">
          <UserMessage text={steeringText(part)} />
        </div>
      )
    case 'file':
      return <GeneratedFile part={part} />
    case 'data-artifact':
      return <ArtifactChip part={part.data} conversationId={session.id} />
    case 'data-notice':
      return <NoticeRow notice={part.data} />
    case 'data-plan':
      return <Plan plan={part.data} live={live} />
    case 'data-workflow':
      return <WorkflowLine step={part.data} live={live} />
    default:
      return null
  }
}

/** The checklist part shows the content of such a call. */
const isShownPlan = (part: DynamicToolUIPart): boolean => part.toolName === 'plan' && part.state === 'output-available'

const FINISHED: AnswerState = { live: false, waiting: null }

function ToolView({ part, answer, siblings, session, folded }: PartProps<DynamicToolUIPart>) {
  const spoken = messageToolText(part)
  if (spoken !== undefined) return spoken ? <Markdown text={spoken} streaming={false} /> : null
  const state = toolState(part, answer)
  if (part.state === 'approval-requested' && state === 'asks')
    return <ApprovalCard part={part} onDecide={(id, approved, reason) => session.decide(id, approved, reason)} />
  if (isShownPlan(part)) return null
  const steps = stepsOf(siblings, part.toolCallId)
  const hidden = steps.filter((step) => step.type !== 'file')
  const stepsAnswer = state === 'running' || state === 'waits' || state === 'allowed' ? answer : FINISHED
  return (
    <>
      <ToolRow part={part} answer={answer} steps={steps} asks={stepsAnswer !== FINISHED && hasApprovalRequest(steps)}>
        {hidden.length > 0 && <SubAgentSteps steps={hidden} render={(step) => <PartView part={step} answer={stepsAnswer} siblings={steps} session={session} folded />} />}
      </ToolRow>
      {/* The files that the user asked for must not be hidden inside the folded row. */}
      {!folded && generatedFiles(steps).map((file) => <GeneratedFile key={file.url} part={file} />)}
    </>
  )
}
