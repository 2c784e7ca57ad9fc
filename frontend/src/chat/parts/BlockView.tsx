import type { DynamicToolUIPart } from 'ai'
import type { ChatPart } from '../../api/messageTypes'
import type { Session } from '../session/session'
import type { AnswerState } from '../work/toolState'
import type { Block } from '../work/workBlocks'
import { WorkCard } from '../work/WorkCard'
import { ArtifactChip } from './ArtifactChip'
import { ApprovalRequest, CallDetails, GeneratedFiles, PartView } from './PartView'

/** `last`: nothing stands below it yet. `ends`: it is the end of the newest answer, and the user can act on it. */
type Props = { block: Block; answer: AnswerState; siblings: readonly ChatPart[]; session: Session; last: boolean; ends: boolean }

/** One block of an answer. */
export function BlockView({ block, answer, siblings, session, last, ends }: Props) {
  const details = (call: DynamicToolUIPart, alone: boolean) => <CallDetails part={call} answer={answer} siblings={siblings} session={session} alone={alone} />
  if (block.kind === 'part') return <PartView part={block.part} answer={answer} siblings={siblings} session={session} ends={ends} />
  if (block.kind === 'document')
    return (
      <ArtifactChip part={block.part.data} conversationId={session.id}>
        {block.calls.length > 0 && block.calls.map((call) => <div key={call.toolCallId}>{details(call, block.calls.length === 1)}</div>)}
      </ArtifactChip>
    )
  return (
    <>
      <WorkCard items={block.items} siblings={siblings} answer={answer} last={last} renderDetails={details} renderRequest={(call) => <ApprovalRequest part={call} session={session} />} />
      {block.items.map((item) => item.type === 'dynamic-tool' && <GeneratedFiles key={item.toolCallId} part={item} siblings={siblings} />)}
    </>
  )
}
