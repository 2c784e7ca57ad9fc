import type { ArtifactDetail, ArtifactSummary, Suggestion, VersionDetail, VersionInfo } from '../api/artifactTypes'
import { boot } from '../api/boot'
import { request } from '../api/client'

/** What the member did, unless it was a plain edit. A patch names the only part of its base that differs, in UTF-16 offsets. */
export type EditOperation = { readonly operation: 'merge' } | { readonly operation: 'patch'; readonly start: number; readonly end: number }
export type NewVersion = {
  readonly content: string
  /** Number of the version that the member changed. */
  readonly base: number
  readonly autosave: boolean
} & ({} | EditOperation)
/** `merged`: somebody else had saved since the base, and `content` has both changes. */
export type SaveResult = { readonly version: VersionInfo; readonly content: string; readonly merged: boolean }
/** `version` is the latest one if no new one was made. `suggestions` are those that were decided on. */
export type DecisionResult = { readonly version: VersionInfo; readonly content: string; readonly suggestions: readonly (Suggestion & { readonly artifactId: string })[] }
export type PatchResult = { readonly original: string; readonly replacement: string }

/** An image has an uploaded file instead of content. */
export type NewArtifact = { readonly title: string; readonly kind: string } & ({ readonly content: string } | { readonly fileId: string })

export const artifactsApi = {
  create: (conversationId: string, artifact: NewArtifact) => request<ArtifactDetail>('POST', `conversations/${conversationId}/artifacts/`, artifact),
  get: (id: string) => request<ArtifactDetail>('GET', `artifacts/${id}/`),
  version: (id: string, number: number) => request<VersionDetail>('GET', `artifacts/${id}/versions/${number}/`),
  /** A 409 with the code `conflict` has a MergeConflict as its body. */
  save: (id: string, version: NewVersion) => request<SaveResult>('POST', `artifacts/${id}/versions/`, version),
  saveImage: (id: string, version: { readonly base: number; readonly fileId: string }) => request<SaveResult>('POST', `artifacts/${id}/versions/`, version),
  revert: (id: string, number: number) => request<ArtifactDetail>('POST', `artifacts/${id}/revert/`, { number }),
  rename: (id: string, title: string) => request<ArtifactSummary>('PATCH', `artifacts/${id}/`, { title }),
  decide: (id: string, ids: readonly string[] | 'all', decision: 'accept' | 'reject') =>
    request<DecisionResult>('POST', `artifacts/${id}/suggestions/decide/`, { ids, decision }),
  patch: (id: string, change: { base: number; start: number; end: number; instruction: string }) => request<PatchResult>('POST', `artifacts/${id}/patch/`, change),
}

/** The address of a version's file. */
export const exportUrl = (id: string, format: string, version: number | null): string =>
  `${boot.api}/artifacts/${id}/export/?${new URLSearchParams({ format, ...(version !== null && { version: String(version) }) })}`
