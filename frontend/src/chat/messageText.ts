import type { ChatMessage, ChatPart } from '../api/messageTypes'

/** The tool with which some agents write to the user. Its calls are shown as text, not as tool calls. */
const MESSAGE_TOOL = 'message'

/** The Markdown text of a call of the `message` tool. Empty for progress, which has its own line. Undefined for any other part. */
export function messageToolText(part: ChatPart): string | undefined {
  if (part.type !== 'dynamic-tool' || part.toolName !== MESSAGE_TOOL || part.state === 'output-error') return undefined
  const { type, text } = (part.input ?? {}) as { type?: unknown; text?: unknown }
  return type === 'progress' || typeof text !== 'string' ? '' : text
}

const writtenText = (part: ChatPart): string => (part.type === 'text' ? part.text : (messageToolText(part) ?? ''))

/** The written text of a message, as Markdown. */
export const textOf = (message: ChatMessage): string => message.parts.map(writtenText).filter(Boolean).join('\n\n')

type SteeringPart = Extract<ChatPart, { type: 'steering-message' }>

/** What the user wrote into a running answer. */
export const steeringText = (part: SteeringPart): string => part.parts.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n\n')
