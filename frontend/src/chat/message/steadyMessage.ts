import { useEffect, useRef } from 'react'
import type { ChatMessage } from '../../api/messageTypes'

/** The messages, of which the last keeps its text on the screen while the same answer comes again: after a broken connection, or from another process. */
export function useSteadyMessages(messages: readonly ChatMessage[], live: boolean): readonly ChatMessage[] {
  const oldMessage = useRef<ChatMessage>(undefined)
  const last = messages.at(-1)
  const steady = last && steadyMessage(oldMessage.current, last, live)
  useEffect(() => {
    oldMessage.current = steady
  })
  return steady === last || !steady ? messages : [...messages.slice(0, -1), steady]
}

/** What to show of an answer that was `oldMessage` and is `now`: the old one while the new one only has less text. */
export function steadyMessage(oldMessage: ChatMessage | undefined, now: ChatMessage, live: boolean): ChatMessage {
  if (!live || oldMessage?.role !== 'assistant' || oldMessage.id !== now.id || otherParts(now) > otherParts(oldMessage)) return now
  const [before, after] = [length(oldMessage, 'text'), length(now, 'text')]
  if (before) return after < before ? oldMessage : now
  return !after && length(now, 'reasoning') < length(oldMessage, 'reasoning') ? oldMessage : now
}

function length(message: ChatMessage, type: 'text' | 'reasoning'): number {
  return message.parts.reduce((sum, part) => (part.type === type ? sum + part.text.length : sum), 0)
}

const otherParts = (message: ChatMessage): number => message.parts.filter(({ type }) => type !== 'text' && type !== 'reasoning' && type !== 'step-start').length
