import { useEffect, useRef } from 'react'
import type { ChatMessage } from '../../api/messageTypes'

/** The messages, of which the last keeps its text on the screen while the same answer comes again: after a broken connection, or from another process. */
export function useSteadyMessages(messages: readonly ChatMessage[], live: boolean): readonly ChatMessage[] {
  const shown = useRef<ChatMessage>(undefined)
  const last = messages.at(-1)
  const steady = last && steadyMessage(shown.current, last, live)
  useEffect(() => {
    shown.current = steady
  })
  return steady === last || !steady ? messages : [...messages.slice(0, -1), steady]
}

/** What to show of an answer that was `shown` and is `now`: the old one while the new one only has less text. */
export function steadyMessage(shown: ChatMessage | undefined, now: ChatMessage, live: boolean): ChatMessage {
  if (!live || shown?.role !== 'assistant' || shown.id !== now.id || otherParts(now) > otherParts(shown)) return now
  const [before, after] = [length(shown, 'text'), length(now, 'text')]
  if (before) return after < before ? shown : now
  return !after && length(now, 'reasoning') < length(shown, 'reasoning') ? shown : now
}

function length(message: ChatMessage, type: 'text' | 'reasoning'): number {
  return message.parts.reduce((sum, part) => (part.type === type ? sum + part.text.length : sum), 0)
}

const otherParts = (message: ChatMessage): number => message.parts.filter(({ type }) => type !== 'text' && type !== 'reasoning' && type !== 'step-start').length
