// The functions that the page around the chat carries out for the agent (docs/decisions/0090).
import type { DynamicToolUIPart } from 'ai'
import { createStore } from '../ui/store'
import { ask, onTools } from './port'
import { isObject, type ToolReply } from './protocol'

/** Their names, as the page has registered them until now. */
export const pageTools = createStore<readonly string[]>([])

export const startPageTools = (): void => onTools(pageTools.set)

/** Lets the page carry out a call. Null: it has no such tool any more. */
export async function callPage({ toolName, toolCallId, input }: DynamicToolUIPart): Promise<ToolReply | null> {
  const reply = await ask({ kind: 'tool', name: toolName, callId: toolCallId, input: isObject(input) ? input : {} })
  return isObject(reply) && ('output' in reply || 'errorText' in reply) ? (reply as ToolReply) : null
}
