// The parts of an answer, one component for each type. PartView chooses the component; the modules in lower case are pure.
import type { DynamicToolUIPart } from 'ai'
import { useLingui } from '@lingui/react/macro'
import type { ChatPart } from '../../api/messageTypes'
import { readDraft, writeDraft } from '../../browser/drafts'
import { freshDraftId } from '../../browser/freshDraft'
import { GeneratedFile } from '../../files/GeneratedFile'
import { Markdown } from '../../markdown/Markdown'
import { goHome } from '../../navigation/router'
import { messageToolText, steeringText, textOf } from '../messageText'
import type { Session } from '../session/session'
import { generatedFiles, hasApprovalRequest, stepsOf } from '../work/agentSteps'
import { Reasoning } from '../work/Reasoning'
import { ToolDetails, ToolRow } from '../work/ToolRow'
import { toolState, type AnswerState } from '../work/toolState'
import { WorkflowLine } from '../work/WorkflowLine'
import { ApprovalCard } from './ApprovalCard'
import { ArtifactChip } from './ArtifactChip'
import { NoticeRow } from './NoticeRow'
import { Plan } from './Plan'
import { SubAgentSteps } from './SubAgentSteps'
import { UserMessage } from './UserMessage'

/** `siblings`: all parts of the same run; the steps of its sub-agents are among them. `folded`: the part is such a step. `ends`: nothing comes after it, and the user can act on it. */
type PartProps<P> = { part: P; answer: AnswerState; siblings: readonly ChatPart[]; session: Session; folded?: boolean; ends?: boolean }

/** One part of a message. A type from a newer server, which this page does not know, shows nothing. */
export function PartView({ part, answer, siblings, session, folded = false, ends = false }: PartProps<ChatPart>) {
  const { live } = answer
  switch (part.type) {
    case 'text':
      return part.text ? <Markdown text={part.text} streaming={live && part.state === 'streaming'} /> : null
    case 'reasoning':
      return <Reasoning part={part} live={live && part.state === 'streaming'} />
    case 'dynamic-tool':
      return <ToolView part={part} answer={answer} siblings={siblings} session={session} folded={folded} />
    case 'steering-message':
      return <SteeringMessage text={steeringText(part)} />
    case 'file':
      return <GeneratedFile part={part} />
    case 'data-artifact':
      return <ArtifactChip part={part.data} conversationId={session.id} />
    case 'data-notice':
      return <NoticeRow notice={part.data} session={ends ? session : undefined} />
    case 'data-plan':
      return <Plan plan={part.data} live={live} />
    case 'data-workflow':
      return <WorkflowLine step={part.data} live={live} />
    default:
      return null
  }
}

/** What the user wrote while the answer was being written. */
function SteeringMessage({ text }: { text: string }) {
  const { t } = useLingui()
  return (
    <div role="group" aria-label={t`You, meanwhile`}>
      <UserMessage text={text} />
    </div>
  )
}

/** The checklist part shows the content of such a call. */
const isShownPlan = (part: DynamicToolUIPart): boolean => part.toolName === 'plan' && part.state === 'output-available'

/** A new chat with the question in its message box, unless something is written there already. */
function askAnew(session: Session): void {
  const question = session.chat.messages.findLast((message) => message.role === 'user')
  if (question && !readDraft(freshDraftId())) writeDraft(freshDraftId(), textOf(question))
  goHome()
}

const FINISHED: AnswerState = { live: false, waiting: null }

/** What asks the user for a decision about a call. */
export function ApprovalRequest({ part, session }: { part: DynamicToolUIPart; session: Session }) {
  if (part.state !== 'approval-requested') return null
  return <ApprovalCard part={part} onDecide={(id, approved, reason, lasts) => session.decide(id, approved, reason, lasts)} onNewChat={() => askAnew(session)} />
}

/** What a call was given, did and gave back. `alone`: without a line of its own. */
export function CallDetails({ part, answer, siblings, session, alone }: PartProps<DynamicToolUIPart> & { alone: boolean }) {
  const state = toolState(part, answer)
  const steps = stepsOf(siblings, part.toolCallId)
  const visibleSteps = steps.filter((step) => step.type !== 'file' && !(step.type === 'dynamic-tool' && step.state === 'approval-requested'))
  const stepsAnswer = state === 'running' || state === 'waits' || state === 'allowed' ? answer : FINISHED
  const inner = visibleSteps.length > 0 && <SubAgentSteps steps={visibleSteps} render={(step) => <PartView part={step} answer={stepsAnswer} siblings={steps} session={session} folded />} />
  if (alone) return <ToolDetails part={part}>{inner}</ToolDetails>
  return (
    <ToolRow part={part} answer={answer} steps={steps}>
      {inner}
    </ToolRow>
  )
}

/** The files that a call's sub-agents made. The user asked for them, so they must not be hidden inside a folded card. */
export function GeneratedFiles({ part, siblings }: { part: DynamicToolUIPart; siblings: readonly ChatPart[] }) {
  return generatedFiles(stepsOf(siblings, part.toolCallId)).map((file) => <GeneratedFile key={file.url} part={file} />)
}

function ToolView({ part, answer, siblings, session, folded }: PartProps<DynamicToolUIPart>) {
  const text = messageToolText(part)
  if (text !== undefined) return text ? <Markdown text={text} streaming={false} /> : null
  const state = toolState(part, answer)
  if (state === 'asks') return <ApprovalRequest part={part} session={session} />
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
