import type { ChatStatus } from 'ai'
import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { ChatMessage, WaitReason } from '../../api/messageTypes'
import type { SessionState } from './sessionState'

/** What the reader sees. While the page reconnects to a stream, it still counts as running, so that nothing flickers. */
export type DisplayedStatus = {
  readonly status: ChatStatus
  readonly running: boolean
  readonly reconnecting: boolean
}

export function displayedStatus(status: ChatStatus, connection: SessionState['connection']): DisplayedStatus {
  const moving = status === 'submitted' || status === 'streaming'
  if (moving) return { status, running: true, reconnecting: false }
  if (connection === 'joining') return { status: 'submitted', running: true, reconnecting: false }
  const reconnecting = connection === 'reconnecting'
  return { status: reconnecting ? 'streaming' : status, running: reconnecting, reconnecting }
}

const WAITING = {
  approval: msg`Permission needed.`,
  reply: msg`Waiting for your reply.`,
  client: msg`The assistant waits for the page around the chat.`,
} as const

/** One short sentence for screen readers. The streaming text itself is not announced. */
export function announcement(display: DisplayedStatus, waiting: WaitReason, hasMessages: boolean): string {
  if (display.reconnecting) return t`Reconnecting.`
  if (display.running) return t`The assistant is answering.`
  if (waiting) return i18n._(WAITING[waiting])
  if (display.status === 'error') return t`The answer failed.`
  return hasMessages ? t`Answer complete.` : ''
}

/** What the newest message waits for, from its metadata. */
export const waitReasonOf = (message: ChatMessage | undefined): WaitReason => (message?.role === 'assistant' && message.metadata?.waiting) || null
