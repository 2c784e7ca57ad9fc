// What an agent does inside a tool call of another one (docs/protocol.md, data-agent-step).
import type { FileUIPart } from 'ai'
import { inputSummary, displayName } from './format'
import type { ChatPart } from '../../api/messageTypes'
import { providerTitle } from './providerCall'

const SHORT = 90

/** The parts of the run that works for this call, as they stand now; those of its own sub-agents are still steps among them. */
export function stepsOf(parts: readonly ChatPart[], callId: string): readonly ChatPart[] {
  const steps: ChatPart[] = []
  for (const part of parts) {
    if (part.type !== 'data-agent-step' || part.data.callId !== callId) continue
    const { part: added, change } = part.data
    if (added) addOrReplace(steps, added)
    if (!change) continue
    const place = steps.findIndex((step) => step.type === 'dynamic-tool' && step.toolCallId === change.toolCallId)
    if (place >= 0) steps[place] = { ...steps[place], ...change } as ChatPart
  }
  return steps
}

/** A data part with an id takes the place of the one before it. */
function addOrReplace(steps: ChatPart[], added: ChatPart): void {
  const id = 'id' in added ? added.id : undefined
  const place = id === undefined ? -1 : steps.findIndex((step) => step.type === added.type && 'id' in step && step.id === id)
  if (place >= 0) steps[place] = added
  else steps.push(added)
}

/** Whether something in there waits for the user's decision. */
export const hasApprovalRequest = (steps: readonly ChatPart[]): boolean =>
  steps.some((step) => step.type === 'dynamic-tool' && (step.state === 'approval-requested' || hasApprovalRequest(stepsOf(steps, step.toolCallId))))

/** The files that the agent and its own sub-agents made, in the order of their work. */
export const generatedFiles = (steps: readonly ChatPart[]): readonly FileUIPart[] =>
  steps.flatMap((step) => (step.type === 'file' ? [step] : step.type === 'dynamic-tool' ? generatedFiles(stepsOf(steps, step.toolCallId)) : []))

/** What the newest step is about, for the card's one line; empty: nothing that can be said so shortly. */
export function latestStepSummary(steps: readonly ChatPart[]): string {
  const step = steps.findLast((one) => one.type === 'dynamic-tool' || one.type === 'text' || one.type === 'reasoning')
  if (!step) return ''
  if (step.type === 'dynamic-tool') return [(step.providerExecuted ? providerTitle : displayName)(step.toolName), inputSummary(step.input)].filter(Boolean).join(': ')
  return step.type === 'text' ? step.text.trim().slice(0, SHORT) : 'Thinking'
}
