import type { ChatStatus } from 'ai'
import type { SessionState } from './session'

/** What the reader sees: a stream that is being picked up again still counts as running, so nothing flickers. */
export type Shown = {
  readonly status: ChatStatus
  readonly running: boolean
  readonly reconnecting: boolean
}

export function shownStatus(status: ChatStatus, connection: SessionState['connection']): Shown {
  const moving = status === 'submitted' || status === 'streaming'
  const reconnecting = connection === 'reconnecting' && !moving
  return { status: reconnecting ? 'streaming' : status, running: moving || reconnecting, reconnecting }
}

/** One short sentence for screen readers; never the stream itself. */
export function announcement(shown: Shown, hasMessages: boolean): string {
  if (shown.reconnecting) return 'Reconnecting.'
  if (shown.running) return 'The assistant is answering.'
  if (shown.status === 'error') return 'The answer failed.'
  return hasMessages ? 'Answer complete.' : ''
}
