// What `setMessages` takes. A page learns at once what it did wrong; the server checks the same (embed/api/schemas.py).
import { isObject, type EarlierMessage } from '../protocol'

const MAX_MESSAGES = 50
const MAX_CHARS = 8000
const MAX_CHARS_TOGETHER = 64_000

const isMessage = (value: unknown): boolean =>
  isObject(value) && (value.role === 'user' || value.role === 'assistant') && typeof value.text === 'string' && value.text.trim() !== '' && value.text.length <= MAX_CHARS

/** Returns copies with nothing else in them. Throws a TypeError. */
export function checkEarlierMessages(messages: readonly EarlierMessage[]): readonly EarlierMessage[] {
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES || !messages.every(isMessage))
    throw new TypeError(`setMessages takes 1 to ${MAX_MESSAGES} messages: { role: 'user' or 'assistant', text: 1 to ${MAX_CHARS} characters }`)
  if (messages.at(-1)?.role !== 'assistant' || messages.some(({ role }, index) => role === messages[index - 1]?.role))
    throw new TypeError('The messages take turns, and the last one is the assistant’s')
  if (messages.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS_TOGETHER) throw new TypeError(`The messages have more than ${MAX_CHARS_TOGETHER} characters together`)
  return messages.map(({ role, text }) => ({ role, text }))
}
