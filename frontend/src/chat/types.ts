// Message and data-part shapes of docs/protocol.md, "Chunks of one answer".
import type { UIMessage } from 'ai'
import type { ArtifactOperation } from '../app/apiTypes'

export type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly thinkingTokens: number }

export type MessageMetadata = {
  readonly createdAt?: string
  readonly runId?: string
  readonly modelName?: string
  readonly provider?: string
  readonly isDemo?: boolean
  readonly release?: number
  readonly usage?: Usage
  readonly durationMs?: number
}

export type ArtifactStatus = 'streaming' | 'ready' | 'stopped' | 'failed'
export type ArtifactPart = {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly status: ArtifactStatus
  readonly version: number | null
  readonly operation: ArtifactOperation
  readonly callId: string
}
/** `content = content.slice(0, at) + delta`; `at` counts UTF-16 code units. */
export type ArtifactDelta = { readonly id: string; readonly at: number; readonly delta: string }

export type NoticeAction = 'retry' | 'continue' | 'settings'
export type Notice = {
  readonly code: string
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly action: NoticeAction | null
}

export type ChatMessage = UIMessage<MessageMetadata, { artifact: ArtifactPart; 'artifact-delta': ArtifactDelta; notice: Notice }>
export type ChatPart = ChatMessage['parts'][number]

export type SendOptions = { readonly modelId: string | null; readonly thinking: boolean }
