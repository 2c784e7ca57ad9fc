// Tells the page around the chat what happens in an answer. Each thing is emitted once.
import { useEffect, useRef } from 'react'
import type { ChatMessage, ChatPart } from '../api/messageTypes'
import { textOf } from '../chat/messageText'
import { emit } from './port'

/** Parts whose changes are emitted again, by what tells one state from another. */
function stateOf(part: ChatPart, index: number): { readonly key: string; readonly state: string } | undefined {
  if (part.type === 'dynamic-tool') return { key: part.toolCallId, state: part.state }
  return part.type.startsWith('data-') ? { key: `${part.type}:${index}`, state: JSON.stringify(part) } : undefined
}

function tell(part: ChatPart): void {
  if (part.type !== 'dynamic-tool') return emit('data-part', { type: part.type, data: 'data' in part ? part.data : null })
  const call = { id: part.toolCallId, name: part.toolName }
  if (part.state === 'input-available') emit('tool-call', call)
  if (part.state === 'output-available' || part.state === 'output-error') emit('tool-result', { ...call, ok: part.state === 'output-available' })
}

/** `running`: the last message is being written. What was there when the conversation was opened is no news. */
export function useAnswerEvents(last: ChatMessage | undefined, running: boolean, error: Error | undefined): void {
  const emittedStates = useRef(new Map<string, string>())
  const wasRunning = useRef(false)
  useEffect(() => {
    if (last?.role === 'assistant' && (running || wasRunning.current)) {
      last.parts.forEach((part, index) => {
        const entry = stateOf(part, index)
        if (!entry || emittedStates.current.get(`${last.id}:${entry.key}`) === entry.state) return
        emittedStates.current.set(`${last.id}:${entry.key}`, entry.state)
        tell(part)
      })
      if (!running && !last.metadata?.waiting) emit('message-complete', { id: last.id, text: textOf(last) })
    }
    wasRunning.current = running
  }, [last, running])
  useEffect(() => {
    if (error) emit('error', { message: error.message })
  }, [error])
}
