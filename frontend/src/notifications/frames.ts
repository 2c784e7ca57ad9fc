import type { ArtifactPart } from '../api/artifactTypes'
import type { ConversationItem } from '../api/generated'

export type Notification =
  | { readonly type: 'conversation'; readonly conversation: ConversationItem }
  | { readonly type: 'conversation-deleted'; readonly id: string }
  | { readonly type: 'conversation-restored'; readonly conversation: ConversationItem }
  | { readonly type: 'artifact'; readonly conversationId: string; readonly artifact: ArtifactPart }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isItem(value: unknown): value is ConversationItem {
  return isRecord(value) && typeof value.revision === 'number' && ['id', 'title', 'updatedAt', 'createdAt'].every((name) => typeof value[name] === 'string')
}

const isArtifact = (value: unknown): value is ArtifactPart =>
  isRecord(value) && ['id', 'title', 'kind', 'status', 'operation', 'callId'].every((name) => typeof value[name] === 'string') && typeof value.version === 'number'

/** Parses a frame of the notification socket. Null for an unknown frame, which a newer server may send. */
export function readNotification(text: string): Notification | null {
  const frame = parseJson(text)
  if (!isRecord(frame)) return null
  if (frame.type === 'conversation' && isItem(frame.conversation)) return { type: 'conversation', conversation: frame.conversation }
  if (frame.type === 'conversation-deleted' && typeof frame.id === 'string') return { type: 'conversation-deleted', id: frame.id }
  if (frame.type === 'conversation-restored' && isItem(frame.conversation)) return { type: 'conversation-restored', conversation: frame.conversation }
  if (frame.type === 'artifact' && typeof frame.conversationId === 'string' && isArtifact(frame.artifact))
    return { type: 'artifact', conversationId: frame.conversationId, artifact: frame.artifact }
  return null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
