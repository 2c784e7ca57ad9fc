// REST shapes of conversations (docs/protocol.md). Times are ISO 8601 in UTC.
import type { ArtifactSummary } from './artifactTypes'
import type { ChatMessage, WaitReason } from './messageTypes'

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

/** A message or a decision was taken. `resumed`: the answer waited and goes on now; false: it is being written already. */
export type InputAccepted = { readonly runId: string; readonly resumed: boolean }
export type Decision = { readonly approved: boolean; readonly reason?: string }
