// Shapes of artifacts in an answer's stream (docs/protocol.md); those of the REST API are in generated.ts.
import type { Operation } from './generated'

export type ArtifactStatus = 'streaming' | 'ready' | 'stopped' | 'failed'
export type ArtifactPart = {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly status: ArtifactStatus
  readonly version: number | null
  readonly operation: Operation | 'suggestion'
  readonly callId: string
}
/** `content = content.slice(0, at) + delta`; `at` counts UTF-16 code units. */
export type ArtifactDelta = { readonly id: string; readonly at: number; readonly delta: string }
