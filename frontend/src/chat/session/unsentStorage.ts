// Messages into an answer that the server has not confirmed survive a reload. Sending one twice is harmless: its id is taken once.
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Pending } from './queuedMessages'

const key = (conversationId: string): string => `unsent:${conversationId}`

export function writeUnsent(conversationId: string, pending: readonly Pending[]): void {
  const unsent = pending.filter((one) => one.state !== 'accepted').map(({ id, text }) => ({ id, text }))
  writeDraft(key(conversationId), unsent.length ? JSON.stringify(unsent) : '')
}

const ownKey = (conversationId: string): string => `sending:${conversationId}`

/** `files`: the ids of what it takes along. */
type Sending = { readonly id: string; readonly text: string; readonly files?: readonly string[] }

/** Keep a message of its own until its answer begins; null: it has arrived. */
export const writeSending = (conversationId: string, message: Sending | null): void =>
  writeDraft(ownKey(conversationId), message ? JSON.stringify(message) : '')

/** What a closed page sent, perhaps in vain. */
export function readSending(conversationId: string): Sending | undefined {
  return parsed(`[${readDraft(ownKey(conversationId))}]`).find(isMessage)
}

const isMessage = (value: unknown): value is { id: string; text: string } => {
  const { id, text } = (value ?? {}) as { id?: unknown; text?: unknown }
  return typeof id === 'string' && typeof text === 'string'
}

export function readUnsent(conversationId: string): readonly Pending[] {
  const stored = parsed(readDraft(key(conversationId)))
  return stored.filter(isMessage).map(({ id, text }) => ({ id, text, state: 'failed', error: 'the page was closed before the server answered.' }))
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text || '[]')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
