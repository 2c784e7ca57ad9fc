import type { ChatMessage } from '../../api/messageTypes'
import { textOf } from '../messageText'

/** One place where the words that are looked for are. `number`: of those in the same message, from 0. */
export type Occurrence = { readonly messageId: string; readonly number: number }

/** The same length as the text, so that places in one are places in the other. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : text).replace(/\s/g, ' ')
}

/** Markup that a reader does not see: emphasis, code marks, and where a link leads. */
const MARKUP = /\*\*|__|`+|(?<=\])\([^)\n]*\)/g

const folded = new WeakMap<ChatMessage, string>()

function readableText(message: ChatMessage): string {
  const entry = folded.get(message)
  if (entry !== undefined) return entry
  const text = fold(textOf(message).replace(MARKUP, ''))
  folded.set(message, text)
  return text
}

/** Where `needle` begins in `text`, without overlaps. Both are folded. */
export function* placesOf(needle: string, text: string): Generator<number> {
  for (let place = text.indexOf(needle); place >= 0; place = text.indexOf(needle, place + needle.length)) yield place
}

/** All places with these words, oldest message first. */
export function occurrences(messages: readonly ChatMessage[], query: string): readonly Occurrence[] {
  const needle = fold(query)
  if (!needle) return []
  return messages.flatMap((message) => [...placesOf(needle, readableText(message))].map((_, number) => ({ messageId: message.id, number })))
}

/** The first occurrence in this message or below it; when there is none, the last one above. */
export function nearest(matches: readonly Occurrence[], messages: readonly ChatMessage[], index: number): Occurrence | undefined {
  const below = new Set(messages.slice(Math.max(index, 0)).map(({ id }) => id))
  return matches.find(({ messageId }) => below.has(messageId)) ?? matches.at(-1)
}
