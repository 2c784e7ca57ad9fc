import { call } from '../app/api'
import type { ArtifactDetail, ArtifactSummary, Suggestion, VersionDetail, VersionInfo } from '../app/apiTypes'
import { boot } from '../app/boot'

export type NewVersion = {
  readonly content: string
  /** Number of the version that the member changed. */
  readonly base: number
  readonly autosave: boolean
  readonly operation?: 'edit' | 'patch' | 'merge'
}
/** `merged`: others had written since the base, and `content` holds both. */
export type Saved = { readonly version: VersionInfo; readonly content: string; readonly merged: boolean }
export type Hunk = { readonly kind: 'same' | 'conflict'; readonly base: string; readonly theirs: string; readonly yours: string }
/** The body of a 409 with the code `conflict`. */
export type Conflict = {
  readonly latest: { readonly number: number; readonly content: string }
  readonly merged: readonly Hunk[]
}
export type Decided = { readonly version: VersionInfo | null; readonly content: string; readonly suggestions: readonly Suggestion[] }
export type Patch = { readonly original: string; readonly replacement: string }

export const artifactsApi = {
  get: (id: string) => call<ArtifactDetail>('GET', `artifacts/${id}/`),
  version: (id: string, number: number) => call<VersionDetail>('GET', `artifacts/${id}/versions/${number}/`),
  save: (id: string, version: NewVersion) => call<Saved>('POST', `artifacts/${id}/versions/`, version),
  revert: (id: string, number: number) => call<ArtifactDetail>('POST', `artifacts/${id}/revert/`, { number }),
  rename: (id: string, title: string) => call<ArtifactSummary>('PATCH', `artifacts/${id}/`, { title }),
  decide: (id: string, ids: readonly string[] | 'all', decision: 'accept' | 'reject') =>
    call<Decided>('POST', `artifacts/${id}/suggestions/decide/`, { ids, decision }),
  patch: (id: string, wish: { base: number; start: number; end: number; instruction: string }) => call<Patch>('POST', `artifacts/${id}/patch/`, wish),
}

/** Where the file of a version comes from. */
export const exportUrl = (id: string, format: string, version: number | null): string =>
  `${boot.api}/artifacts/${id}/export/?${new URLSearchParams({ format, ...(version !== null && { version: String(version) }) })}`
