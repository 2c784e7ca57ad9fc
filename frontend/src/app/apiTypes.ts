// REST shapes of docs/protocol.md. Times are ISO 8601 in UTC.
import type { ChatMessage } from '../chat/types'

/** What an answer that pauses waits for: a decision about a tool call, or a reply to a question; null: nothing. */
export type Waiting = 'approval' | 'reply' | 'client' | null

export type ConversationItem = {
  readonly id: string
  /** Of two states of one conversation, that with the higher number is the newer. */
  readonly revision: number
  readonly title: string
  readonly updatedAt: string
  readonly createdAt: string
  /** An answer ended that none of the member's screens has shown. */
  readonly unread: boolean
  /** Whether an answer is being written. */
  readonly activeRun: boolean
  readonly waiting: Waiting
}
export type ConversationPage = { readonly items: readonly ConversationItem[]; readonly nextCursor: string | null }

export type ArtifactOperation = 'create' | 'update' | 'fix' | 'revert' | 'edit' | 'patch' | 'merge'
export type ChangedLines = { readonly added: number; readonly removed: number }
export type VersionInfo = {
  readonly number: number
  readonly createdAt: string
  readonly operation: ArtifactOperation
  readonly isDraft: boolean
  readonly authorKind: 'agent' | 'user'
  /** Of a member; empty for agents. */
  readonly authorName: string
  /** Name of the agent that wrote it; empty for members. */
  readonly agent: string
  readonly runId: string | null
  /** Number of the version that it was made from. */
  readonly parent: number | null
  readonly changedLines: ChangedLines | null
}
/** `fileUrl`: of an image, whose content is empty; good for five minutes. */
export type VersionDetail = VersionInfo & { readonly content: string; readonly fileUrl?: string | null }
/** A change that an agent proposes to a text: `original` stands between `prefix` and `suffix`, near `start` (UTF-16) in `version`. */
export type Suggestion = {
  readonly id: string
  readonly version: number
  readonly original: string
  readonly prefix: string
  readonly suffix: string
  readonly start: number
  readonly replacement: string
  readonly comment: string
  readonly status: 'open' | 'accepted' | 'rejected' | 'stale'
}
/** A stretch of two texts that were made from one; joined, the hunks are whole texts. */
export type Hunk = { readonly kind: 'same' | 'conflict'; readonly base: string; readonly theirs: string; readonly yours: string }
/** Two texts that changed the same lines of one: `latest` is what stands now. */
export type BothSides = {
  /** What both were made from. */
  readonly base: { readonly number: number; readonly content: string }
  readonly latest: { readonly number: number; readonly content: string }
  readonly yours: string
  readonly merged: readonly Hunk[]
}
export type ArtifactSummary = { readonly id: string; readonly title: string; readonly kind: string; readonly latestVersion: number }
export type ArtifactDetail = ArtifactSummary & {
  readonly conversationId: string
  readonly versions: readonly VersionInfo[]
  readonly content: string
  readonly fileUrl?: string | null
  readonly suggestions: readonly Suggestion[]
  /** An agent wrote `latest` while the member changed the same lines. */
  readonly conflict?: BothSides | null
}

export type Conversation = {
  readonly id: string
  readonly title: string
  readonly modelId: string | null
  /** Whether an answer is being written. */
  readonly activeRun: boolean
  readonly waiting: Waiting
  readonly messages: ChatMessage[]
  readonly artifacts: readonly ArtifactSummary[]
  readonly hasMore: boolean
}

/** A message or a decision was taken. `resumed`: the answer waited and goes on now; false: it is being written already. */
export type Taken = { readonly runId: string; readonly resumed: boolean }
export type Decision = { readonly approved: boolean; readonly reason?: string }

/** What the user tells every assistant about themself. */
export type Me = { readonly preferences: string }
