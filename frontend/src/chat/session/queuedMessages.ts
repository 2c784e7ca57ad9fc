// Messages that were sent into a running answer and are not part of it yet. Pure.
import type { ChatMessage } from '../../api/messageTypes'

/**
 * `sending`: on its way. `offline`: waits until the server can be reached. `accepted`: the server has it, and the answer will show it.
 * `late`: came after the answer's end, and goes out as a message of its own. `failed`: waits for the user.
 */
export type QueuedMessage = { readonly id: string; readonly text: string; readonly state: 'sending' | 'offline' | 'accepted' | 'late' | 'failed'; readonly error: string }

export const newQueuedMessage = (id: string, text: string): QueuedMessage => ({ id, text, state: 'sending', error: '' })

export const withChange = (queue: readonly QueuedMessage[], id: string, change: Partial<QueuedMessage>): readonly QueuedMessage[] =>
  queue.map((one) => (one.id === id ? { ...one, ...change } : one))

export const withoutMessage = (queue: readonly QueuedMessage[], id: string): readonly QueuedMessage[] => queue.filter((one) => one.id !== id)

const contains = (message: ChatMessage, id: string): boolean => message.id === id || message.parts.some((part) => part.type === 'steering-message' && part.id === id)

/** Those that no message of the conversation shows yet. */
export function notYetShown(queue: readonly QueuedMessage[], messages: readonly ChatMessage[]): readonly QueuedMessage[] {
  return queue.length ? queue.filter((one) => !messages.some((message) => contains(message, one.id))) : queue
}

export const joinTexts = (queue: readonly QueuedMessage[]): string => queue.map((one) => one.text).join('\n\n')
