// REST shapes of conversations (docs/protocol.md). Times are ISO 8601 in UTC.
import type { ArtifactSummary } from './artifactTypes'
import type { ChatMessage, WaitReason } from './messageTypes'

export type ConversationItem = {
  readonly id: string
  /** Of two states of a conversation, the one with the higher number is newer. */
  readonly revision: number
  readonly title: string
  readonly updatedAt: string
  readonly createdAt: string
  /** An answer ended, and none of the member's screens has shown it. */
  readonly unread: boolean
  /** Whether an answer is being written. */
  readonly activeRun: boolean
  readonly waiting: WaitReason
}
export type ConversationPage = { readonly items: readonly ConversationItem[]; readonly nextCursor: string | null }

export type Conversation = {
  readonly id: string
  readonly title: string
  readonly modelId: string | null
  /** Whether an answer is being written. */
  readonly activeRun: boolean
  readonly waiting: WaitReason
  readonly messages: ChatMessage[]
  readonly artifacts: readonly ArtifactSummary[]
  readonly hasMore: boolean
}

/** The server accepted a message or a decision. `resumed`: the answer waited and goes on now. False: it is already being written. */
export type InputAccepted = { readonly runId: string; readonly resumed: boolean }
export type Decision = { readonly approved: boolean; readonly reason?: string }
