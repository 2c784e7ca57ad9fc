// REST shapes of docs/protocol.md. Times are ISO 8601 in UTC.
import type { ChatMessage } from '../chat/types'

export type ConversationItem = {
  readonly id: string
  readonly title: string
  readonly updatedAt: string
  readonly createdAt: string
  /** Whether an answer is being written. */
  readonly activeRun: boolean
}
export type ConversationPage = { readonly items: readonly ConversationItem[]; readonly nextCursor: string | null }

export type ArtifactOperation = 'create' | 'update' | 'revert'
export type VersionInfo = {
  readonly number: number
  readonly createdAt: string
  readonly operation: ArtifactOperation
  readonly isDraft: boolean
  readonly authorKind: 'agent' | 'user'
}
export type VersionDetail = VersionInfo & { readonly content: string; readonly parent: number | null }
export type ArtifactSummary = { readonly id: string; readonly title: string; readonly kind: string; readonly latestVersion: number }
export type ArtifactDetail = ArtifactSummary & {
  readonly conversationId: string
  readonly versions: readonly VersionInfo[]
  readonly content: string
}

export type Conversation = {
  readonly id: string
  readonly title: string
  readonly modelId: string | null
  /** Whether an answer is being written. */
  readonly activeRun: boolean
  readonly messages: ChatMessage[]
  readonly artifacts: readonly ArtifactSummary[]
  readonly hasMore: boolean
}
