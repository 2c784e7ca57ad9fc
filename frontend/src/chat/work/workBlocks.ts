// An answer as the reader sees it: calls that follow each other are one card of work, and a document is one card with the calls that wrote it. Pure.
import type { DynamicToolUIPart } from 'ai'
import type { ChatPart, Notice } from '../../api/messageTypes'
import { messageToolText } from '../messageText'
import { hasApprovalRequest, stepsOf } from './agentSteps'

export type ArtifactChatPart = Extract<ChatPart, { type: 'data-artifact' }>
/** A call, a step that the agent reported, or thoughts between calls. */
export type WorkItem = Extract<ChatPart, { type: 'dynamic-tool' | 'data-workflow' | 'reasoning' }>

export type Block =
  | { readonly kind: 'part'; readonly key: string; readonly part: ChatPart }
  | { readonly kind: 'work'; readonly key: string; readonly items: readonly WorkItem[] }
  | { readonly kind: 'document'; readonly key: string; readonly part: ArtifactChatPart; readonly calls: readonly DynamicToolUIPart[] }

/** Notices about the model's context, by the beginnings of their codes. They stand under Details. */
const CONTEXT_CODES = ['told_', 'reminder', 'no_tool_call', 'compacted_history', 'context_guard', 'fallback']
const isContext = ({ code }: Notice): boolean => CONTEXT_CODES.some((start) => code.startsWith(start))

/** What the model was told besides the messages. */
export const contextNotices = (parts: readonly ChatPart[]): readonly Notice[] => parts.flatMap((part) => (part.type === 'data-notice' && isContext(part.data) ? [part.data] : []))

/** Parts that are shown elsewhere, or not at all. */
const HIDDEN_TYPES = new Set<string>(['step-start', 'source-url', 'data-suggestions', 'data-agent-step', 'data-artifact-delta', 'data-suggestion', 'data-tool-progress'])

function isHidden(part: ChatPart): boolean {
  if (HIDDEN_TYPES.has(part.type)) return true
  if (part.type === 'text') return part.text === ''
  if (part.type === 'data-notice') return isContext(part.data)
  if (part.type !== 'dynamic-tool') return false
  const isShownPlan = part.toolName === 'plan' && part.state === 'output-available'
  return isShownPlan || messageToolText(part) === ''
}

/** The id of the artifact that a finished call wrote. */
function writtenId(part: DynamicToolUIPart): unknown {
  const output = part.state === 'output-available' ? part.output : undefined
  return typeof output === 'object' && output !== null ? (output as { id?: unknown }).id : undefined
}

/** The calls of each artifact that has a card, by its id. One that asks or failed without a result is a step of its own. */
function documentCalls(parts: readonly ChatPart[]): ReadonlyMap<string, readonly DynamicToolUIPart[]> {
  const calls = parts.filter((part): part is DynamicToolUIPart => part.type === 'dynamic-tool' && !asks(part, parts) && part.state !== 'output-error' && part.state !== 'output-denied')
  return new Map(
    parts.flatMap((part) =>
      part.type === 'data-artifact' ? [[part.data.id, calls.filter((call) => call.toolCallId === part.data.callId || writtenId(call) === part.data.id)] as const] : [],
    ),
  )
}

const asks = (part: DynamicToolUIPart, siblings: readonly ChatPart[]): boolean => part.state === 'approval-requested' || hasApprovalRequest(stepsOf(siblings, part.toolCallId))

/** `open`: the answer is not over, so that a call can still be decided about. */
const isWork = (part: ChatPart, open: boolean): part is Exclude<WorkItem, { type: 'reasoning' }> =>
  part.type === 'data-workflow' || (part.type === 'dynamic-tool' && !(open && part.state === 'approval-requested') && messageToolText(part) === undefined)

const goesOn = (part: ChatPart, open: boolean): part is WorkItem => isWork(part, open) || part.type === 'reasoning'

/** The blocks of an answer, in order. A block keeps its key while the answer grows. `open`: it is being written or waits. */
export function blocksOf(parts: readonly ChatPart[], open: boolean): readonly Block[] {
  const calls = documentCalls(parts)
  const shownElsewhere = new Set([...calls.values()].flat().map((call) => call.toolCallId))
  const blocks: Block[] = []
  parts.forEach((part, index) => {
    if (isHidden(part) || (part.type === 'dynamic-tool' && shownElsewhere.has(part.toolCallId))) return
    const last = blocks.at(-1)
    if (part.type === 'data-artifact') blocks.push({ kind: 'document', key: part.data.id, part, calls: calls.get(part.data.id) ?? [] })
    else if (last?.kind === 'work' && goesOn(part, open)) blocks[blocks.length - 1] = { ...last, items: [...last.items, part] }
    else if (isWork(part, open)) blocks.push({ kind: 'work', key: `work-${keyOf(part, index)}`, items: [part] })
    else blocks.push({ kind: 'part', key: keyOf(part, index), part })
  })
  return blocks
}

/** A tool call keeps what was typed into it when the stored message replaces the streamed one. */
const keyOf = (part: ChatPart, index: number): string => ('toolCallId' in part ? part.toolCallId : String(index))

/** The tool calls of a call's sub-agents, at any depth; the call itself when there are none. */
export function innerCalls(part: DynamicToolUIPart, siblings: readonly ChatPart[]): readonly DynamicToolUIPart[] {
  const steps = stepsOf(siblings, part.toolCallId)
  const inner = steps.flatMap((step) => (step.type === 'dynamic-tool' && messageToolText(step) === undefined ? innerCalls(step, steps) : []))
  return inner.length ? inner : [part]
}

/** The calls inside that wait for the user's decision, at any depth. */
export function askingCalls(parts: readonly ChatPart[]): readonly DynamicToolUIPart[] {
  return parts.flatMap((part) => (part.type !== 'dynamic-tool' ? [] : part.state === 'approval-requested' ? [part] : askingCalls(stepsOf(parts, part.toolCallId))))
}
