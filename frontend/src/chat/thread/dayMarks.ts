import type { ChatMessage } from '../../api/messageTypes'
import { dateText } from '../../language/formats'

/** The messages with which another day begins, each with its date, in a conversation of several days. A message that was just sent has no date yet. */
export function dayMarks(messages: readonly ChatMessage[], now: number): ReadonlyMap<string, string> {
  const marks = new Map<string, Date>()
  let last = ''
  for (const { id, metadata } of messages) {
    if (!metadata?.createdAt) continue
    const date = new Date(metadata.createdAt)
    if (date.toDateString() !== last) marks.set(id, date)
    last = date.toDateString()
  }
  return new Map(marks.size > 1 ? [...marks].map(([id, date]) => [id, dayText(date, now)]) : [])
}

function dayText(date: Date, now: number): string {
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric'
  return dateText(date, { weekday: 'long', day: 'numeric', month: 'long', year })
}
