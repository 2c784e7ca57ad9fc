import type { ArtifactPart } from '../api/artifactTypes'
import type { ConversationItem } from '../api/generated'

export type Notification =
  | { readonly type: 'conversation'; readonly conversation: ConversationItem }
  | { readonly type: 'conversations' | 'conversations-restored'; readonly conversations: readonly ConversationItem[] }
  | { readonly type: 'conversations-deleted'; readonly ids: readonly string[] }
  | { readonly type: 'projects' }
  | { readonly type: 'me' }
  | { readonly type: 'share'; readonly shareId: string }
  | { readonly type: 'comment'; readonly shareId: string; readonly threadId: string; readonly author: string; readonly title: string }
  | { readonly type: 'artifact'; readonly conversationId: string; readonly artifact: ArtifactPart }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isItem(value: unknown): value is ConversationItem {
  return isRecord(value) && typeof value.revision === 'number' && ['id', 'title', 'updatedAt', 'createdAt'].every((name) => typeof value[name] === 'string')
}

const isText = (value: unknown): value is string => typeof value === 'string'

const areAll = <T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[] => Array.isArray(value) && value.every(is)

const isArtifact = (value: unknown): value is ArtifactPart =>
  isRecord(value) && ['id', 'title', 'kind', 'status', 'operation', 'callId'].every((name) => typeof value[name] === 'string') && typeof value.version === 'number'

/** Parses a frame of the notification socket. Null for an unknown frame, which a newer server may send. */
export function readNotification(text: string): Notification | null {
  const frame = parseJson(text)
  if (!isRecord(frame)) return null
  if (frame.type === 'conversation' && isItem(frame.conversation)) return { type: 'conversation', conversation: frame.conversation }
  if ((frame.type === 'conversations' || frame.type === 'conversations-restored') && areAll(frame.conversations, isItem)) return { type: frame.type, conversations: frame.conversations }
  if (frame.type === 'conversations-deleted' && areAll(frame.ids, isText)) return { type: 'conversations-deleted', ids: frame.ids }
  if (frame.type === 'projects') return { type: 'projects' }
  if (frame.type === 'me') return { type: 'me' }
  if (frame.type === 'share' && isText(frame.shareId)) return { type: 'share', shareId: frame.shareId }
  if (frame.type === 'comment' && isText(frame.shareId) && isText(frame.threadId) && isText(frame.author) && isText(frame.title))
    return { type: 'comment', shareId: frame.shareId, threadId: frame.threadId, author: frame.author, title: frame.title }
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
