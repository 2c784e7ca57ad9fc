// The work of a sub-agent inside a tool call (docs/protocol.md, data-agent-step).
import type { FileUIPart } from 'ai'
import { t } from '@lingui/core/macro'
import type { ChatPart } from '../../api/messageTypes'
import { inputSummary, displayName } from './format'
import { providerTitle } from './providerCall'

const SHORT = 90

/** The current parts of the sub-agent's run for this call. Steps of its own sub-agents are still among them. */
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

/** A data part replaces an earlier one with the same type and id. */
function addOrReplace(steps: ChatPart[], added: ChatPart): void {
  const id = 'id' in added ? added.id : undefined
  const place = id === undefined ? -1 : steps.findIndex((step) => step.type === added.type && 'id' in step && step.id === id)
  if (place >= 0) steps[place] = added
  else steps.push(added)
}

/** Whether one of the steps, at any depth, waits for the user's decision. */
export const hasApprovalRequest = (steps: readonly ChatPart[]): boolean =>
  steps.some((step) => step.type === 'dynamic-tool' && (step.state === 'approval-requested' || hasApprovalRequest(stepsOf(steps, step.toolCallId))))

/** The files that the agent and its sub-agents made, in order. */
export const generatedFiles = (steps: readonly ChatPart[]): readonly FileUIPart[] =>
  steps.flatMap((step) => (step.type === 'file' ? [step] : step.type === 'dynamic-tool' ? generatedFiles(stepsOf(steps, step.toolCallId)) : []))

/** The newest step in a few words, for the row of the call. Empty if it has no short form. */
export function latestStepSummary(steps: readonly ChatPart[]): string {
  const step = steps.findLast((one) => one.type === 'dynamic-tool' || one.type === 'text' || one.type === 'reasoning')
  if (!step) return ''
  if (step.type === 'dynamic-tool') return [(step.providerExecuted ? providerTitle : displayName)(step.toolName), inputSummary(step.input)].filter(Boolean).join(': ')
  return step.type === 'text' ? step.text.trim().slice(0, SHORT) : t`Thinking`
}
