import { call } from '../api/client'
import type { ArtifactDetail, ArtifactSummary, BothSides, Suggestion, VersionDetail, VersionInfo } from '../api/artifactTypes'
import { boot } from '../api/boot'

/** What the member did, when it was no plain edit; a patch names the only part of its base that differs (UTF-16 offsets). */
export type How = { readonly operation: 'merge' } | { readonly operation: 'patch'; readonly start: number; readonly end: number }
export type NewVersion = {
  readonly content: string
  /** Number of the version that the member changed. */
  readonly base: number
  readonly autosave: boolean
} & ({} | How)
/** `merged`: others had written since the base, and `content` holds both. */
export type Saved = { readonly version: VersionInfo; readonly content: string; readonly merged: boolean }
/** The body of a 409 with the code `conflict` has both sides. */
export type Conflict = BothSides
/** `version` is the latest one when no new one was made. `suggestions`: those that were decided on. */
export type Decided = { readonly version: VersionInfo; readonly content: string; readonly suggestions: readonly (Suggestion & { readonly artifactId: string })[] }
export type Patch = { readonly original: string; readonly replacement: string }

/** An image has no content, but a file that was uploaded. */
export type NewArtifact = { readonly title: string; readonly kind: string } & ({ readonly content: string } | { readonly fileId: string })

export const artifactsApi = {
  create: (conversationId: string, artifact: NewArtifact) => call<ArtifactDetail>('POST', `conversations/${conversationId}/artifacts/`, artifact),
  get: (id: string) => call<ArtifactDetail>('GET', `artifacts/${id}/`),
  version: (id: string, number: number) => call<VersionDetail>('GET', `artifacts/${id}/versions/${number}/`),
  save: (id: string, version: NewVersion) => call<Saved>('POST', `artifacts/${id}/versions/`, version),
  saveImage: (id: string, version: { readonly base: number; readonly fileId: string }) => call<Saved>('POST', `artifacts/${id}/versions/`, version),
  revert: (id: string, number: number) => call<ArtifactDetail>('POST', `artifacts/${id}/revert/`, { number }),
  rename: (id: string, title: string) => call<ArtifactSummary>('PATCH', `artifacts/${id}/`, { title }),
  decide: (id: string, ids: readonly string[] | 'all', decision: 'accept' | 'reject') =>
    call<Decided>('POST', `artifacts/${id}/suggestions/decide/`, { ids, decision }),
  patch: (id: string, wish: { base: number; start: number; end: number; instruction: string }) => call<Patch>('POST', `artifacts/${id}/patch/`, wish),
}

/** Where the file of a version comes from. */
export const exportUrl = (id: string, format: string, version: number | null): string =>
  `${boot.api}/artifacts/${id}/export/?${new URLSearchParams({ format, ...(version !== null && { version: String(version) }) })}`
