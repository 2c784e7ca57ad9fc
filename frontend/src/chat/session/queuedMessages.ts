// Messages that were sent into a running answer and are not part of it yet. Pure.
import type { ChatMessage } from '../../api/messageTypes'

/**
 * `sending` is on its way; a `held` one waits until the server can be reached; the server took an `accepted` one, and the answer will show it;
 * a `late` one came after the answer's end and goes out as a message of its own; a `failed` one waits for the user.
 */
export type Pending = { readonly id: string; readonly text: string; readonly state: 'sending' | 'held' | 'accepted' | 'late' | 'failed'; readonly error: string }

export const sendingOf = (id: string, text: string): Pending => ({ id, text, state: 'sending', error: '' })

export const withChange = (pending: readonly Pending[], id: string, change: Partial<Pending>): readonly Pending[] =>
  pending.map((one) => (one.id === id ? { ...one, ...change } : one))

export const without = (pending: readonly Pending[], id: string): readonly Pending[] => pending.filter((one) => one.id !== id)

const has = (message: ChatMessage, id: string): boolean => message.id === id || message.parts.some((part) => part.type === 'steering-message' && part.id === id)

/** Those that the conversation does not show yet. */
export function notShown(pending: readonly Pending[], messages: readonly ChatMessage[]): readonly Pending[] {
  return pending.length ? pending.filter((one) => !messages.some((message) => has(message, one.id))) : pending
}

export const joined = (pending: readonly Pending[]): string => pending.map((one) => one.text).join('\n\n')
