// Message and data-part shapes of docs/protocol.md, "Chunks of one answer".
import type { UIMessage } from 'ai'
import type { ArtifactDelta, ArtifactPart } from './artifactTypes'
import type { ConversationDetail, Feedback, SuggestionItem } from './generated'

/** What a paused answer waits for: a decision about a tool call, a reply to a question, or the page around the chat. Null: nothing. */
export type WaitReason = ConversationDetail['waiting']

export type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly thinkingTokens: number }

export type MessageMetadata = {
  readonly createdAt?: string
  /** Of a user's message: the id under which a page sent it. */
  readonly clientId?: string
  readonly runId?: string
  readonly modelName?: string
  readonly provider?: string
  readonly isDemo?: boolean
  readonly release?: number
  /** Who answered, unless it was the chat agent. */
  readonly assistant?: { readonly key: string; readonly name: string }
  readonly usage?: Usage
  readonly durationMs?: number
  /** So far, of a running answer. Null: a price is unknown. */
  readonly costUsd?: number | null
  /** The ids of all messages at this place, oldest first, when there are several. */
  readonly siblings?: readonly string[]
  /** What the user thinks of the answer. */
  readonly feedback?: Feedback | null
  /** What the run behind an unfinished answer waits for. */
  readonly waiting?: WaitReason
}

export type NoticeAction = 'retry' | 'continue' | 'settings'
export type Notice = {
  readonly code: string
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly action: NoticeAction | null
  /** More lines, which are folded at first. */
  readonly details?: string
  /** When the provider wants to be asked again. */
  readonly retryAt?: string
}
/** A step of the work that the agent reported. */
export type WorkflowStep = { readonly text: string; readonly state: 'running' | 'done' }
export type PlanStep = { readonly text: string; readonly state: 'pending' | 'running' | 'done' }
/** The agent's checklist. An answer has at most one, which changes in place. */
export type Plan = { readonly title: string; readonly steps: readonly PlanStep[] }
/** Suggested next messages of the user. */
export type Suggestions = { readonly items: readonly string[] }

/** A step of a sub-agent, with the call that it works for: a new part, or a change to the part of a tool call. */
export type AgentStep = {
  readonly callId: string
  readonly agent: string
  readonly part?: ChatPart
  readonly change?: { readonly toolCallId: string } & Readonly<Record<string, unknown>>
}

/** How far a running call has come. `percent` null: unknown. */
export type ToolProgress = { readonly callId: string; readonly percent: number | null; readonly text: string }

type DataParts = {
  'agent-step': AgentStep
  artifact: ArtifactPart
  'artifact-delta': ArtifactDelta
  suggestion: SuggestionItem
  notice: Notice
  workflow: WorkflowStep
  plan: Plan
  suggestions: Suggestions
  'tool-progress': ToolProgress
}
export type ChatMessage = UIMessage<MessageMetadata, DataParts>
/** The schema leaves messages open; here they are the AI SDK's. */
export type Conversation = Omit<ConversationDetail, 'messages'> & { readonly messages: ChatMessage[] }
export type ChatPart = ChatMessage['parts'][number]

/** `switches`: by key; a missing one is as it is at first. `assistant`: who is to answer, if the user chose; left out: who was chosen in the conversation. */
export type SendOptions = {
  readonly modelId: string | null
  readonly thinking: boolean
  readonly switches: Readonly<Record<string, boolean>>
  readonly assistant?: string
  readonly projectId?: string
  readonly temporary?: boolean
  /** What the page around an embedded chat says about itself. */
  readonly pageState?: Readonly<Record<string, unknown>>
  /** Names of the tools that this page carries out. */
  readonly pageTools?: readonly string[]
}
