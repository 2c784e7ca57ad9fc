// Shapes of artifacts, over REST and in an answer's stream (docs/protocol.md). Times are ISO 8601 in UTC.

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
/** `fileUrl`: only of an image, which has no content. It is valid for five minutes. */
export type VersionDetail = VersionInfo & { readonly content: string; readonly fileUrl?: string | null }
/** A change that an agent suggests. `original` is between `prefix` and `suffix`, near the UTF-16 offset `start` of `version`. */
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
/** A part of a three-way merge. All hunks together are the whole texts. */
export type Hunk = { readonly kind: 'same' | 'conflict'; readonly base: string; readonly theirs: string; readonly yours: string }
/** Two texts with changes to the same lines of `base`. `latest` is the current version. */
export type MergeConflict = {
  /** The version that both were made from. */
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
  readonly conflict?: MergeConflict | null
}

export type ArtifactStatus = 'streaming' | 'ready' | 'stopped' | 'failed'
export type ArtifactPart = {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly status: ArtifactStatus
  readonly version: number | null
  readonly operation: ArtifactOperation | 'suggestion'
  readonly callId: string
}
/** `content = content.slice(0, at) + delta`; `at` counts UTF-16 code units. */
export type ArtifactDelta = { readonly id: string; readonly at: number; readonly delta: string }

/** A proposed change to a document, as it is written. */
export type SuggestionPart = Suggestion & { readonly artifactId: string }
