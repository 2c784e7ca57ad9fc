import type { ChatMessage, ChatPart } from '../api/messageTypes'

/** Tools whose results hold nothing but what the model wrote. */
const OWN_TOOLS = new Set(['plan', 'message', 'document_agent', 'python_agent', 'mermaid_agent'])

const isForeign = (part: ChatPart): boolean =>
  part.type === 'file' || part.type === 'source-url' || part.type === 'data-agent-step' || (part.type === 'dynamic-tool' && !OWN_TOOLS.has(part.toolName))

/** Whether a conversation may hold what nobody typed: files, pages, answers of tools. Messages that are not loaded count as if they did. */
export const hasForeignContent = (messages: readonly ChatMessage[], hasMore: boolean): boolean => hasMore || messages.some((message) => message.parts.some(isForeign))
