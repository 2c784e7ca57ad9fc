// Tells the page around the chat what happens in an answer. Each thing is emitted once.
import { useEffect, useRef } from 'react'
import type { ChatMessage } from '../api/messageTypes'
import { textOf } from '../chat/messageText'
import { endOf, newsOf } from './answerNews'
import { emit } from './port'

/** `running`: the last message is being written. What was there when the conversation was opened is no news. */
export function useAnswerEvents(last: ChatMessage | undefined, running: boolean, error: Error | undefined): void {
  const toldStates = useRef(new Map<string, string>())
  const wasRunning = useRef(false)
  useEffect(() => {
    if (last?.role === 'assistant' && (running || wasRunning.current)) {
      for (const [name, detail] of newsOf(last, toldStates.current)) emit(name, detail)
      if (!running && !last.metadata?.waiting) emit('message-complete', { id: last.id, text: textOf(last), ended: endOf(last, error !== undefined) })
    }
    wasRunning.current = running
  }, [last, running, error])
  useEffect(() => {
    if (error) emit('error', { message: error.message })
  }, [error])
}
