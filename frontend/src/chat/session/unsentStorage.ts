// Messages that the server has not confirmed survive a reload here. Sending one twice is harmless: its id is accepted once.
import { t } from '@lingui/core/macro'
import { readDraft, writeDraft } from '../../browser/drafts'
import type { QueuedMessage } from './queuedMessages'

const queueKey = (conversationId: string): string => `unsent:${conversationId}`
const sendingKey = (conversationId: string): string => `sending:${conversationId}`

/** Store the messages into an answer that wait for the server. */
export function writeUnsent(conversationId: string, queue: readonly QueuedMessage[]): void {
  const unsent = queue.filter((one) => one.state !== 'accepted').map(({ id, text }) => ({ id, text }))
  writeDraft(queueKey(conversationId), unsent.length ? JSON.stringify(unsent) : '')
}

export function readUnsent(conversationId: string): readonly QueuedMessage[] {
  const entries = parseList(readDraft(queueKey(conversationId)))
  return entries.filter(isMessage).map(({ id, text }) => ({ id, text, state: 'failed', error: t`the page was closed before the server answered.` }))
}

/** `files`: the ids of its files. */
type SendingMessage = { readonly id: string; readonly text: string; readonly files?: readonly string[] }

/** Store a message of its own until its answer begins; null: it has arrived. */
export const writeSending = (conversationId: string, message: SendingMessage | null): boolean =>
  writeDraft(sendingKey(conversationId), message ? JSON.stringify(message) : '')

/** The message that this page is sending, or that a closed page sent, perhaps in vain. */
export function readSending(conversationId: string): SendingMessage | undefined {
  return parseList(`[${readDraft(sendingKey(conversationId))}]`).find(isMessage)
}

const isMessage = (value: unknown): value is { id: string; text: string } => {
  const { id, text } = (value ?? {}) as { id?: unknown; text?: unknown }
  return typeof id === 'string' && typeof text === 'string'
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text || '[]')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
