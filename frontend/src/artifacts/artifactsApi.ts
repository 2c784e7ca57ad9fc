import { boot } from '../api/boot'
import { request } from '../api/client'
import type { ArtifactComments, ArtifactDetail, ArtifactListItem, DecisionResult, DecisionRequest, NewArtifact, NewVersionRequest, PatchAnswer, PatchRequest, SavedVersion, VersionDetail } from '../api/generated'

/** What the member did, unless it was a plain edit. A patch names the only part of its base that differs, in UTF-16 offsets. */
export type EditOperation = { readonly operation: 'merge' } | { readonly operation: 'patch'; readonly start: number; readonly end: number }

export const artifactsApi = {
  create: (conversationId: string, artifact: NewArtifact) => request<ArtifactDetail>('POST', `conversations/${conversationId}/artifacts/`, artifact),
  get: (id: string) => request<ArtifactDetail>('GET', `artifacts/${id}/`),
  version: (id: string, number: number) => request<VersionDetail>('GET', `artifacts/${id}/versions/${number}/`),
  /** A 409 with the code `conflict` has a ConflictError as its body. `leaving`: the page goes away meanwhile. */
  save: (id: string, version: NewVersionRequest, leaving = false) => request<SavedVersion>('POST', `artifacts/${id}/versions/`, version, leaving),
  saveImage: (id: string, version: { readonly base: number; readonly fileId: string }) => request<SavedVersion>('POST', `artifacts/${id}/versions/`, version),
  revert: (id: string, number: number) => request<ArtifactDetail>('POST', `artifacts/${id}/revert/`, { number }),
  rename: (id: string, title: string) => request<ArtifactListItem>('PATCH', `artifacts/${id}/`, { title }),
  decide: (id: string, ids: DecisionRequest['ids'], decision: DecisionRequest['decision']) =>
    request<DecisionResult>('POST', `artifacts/${id}/suggestions/decide/`, { ids, decision }),
  comments: (id: string) => request<ArtifactComments>('GET', `artifacts/${id}/comments/`),
  patch: (id: string, change: PatchRequest) => request<PatchAnswer>('POST', `artifacts/${id}/patch/`, change),
}

/** The address of a version's file. */
export const exportUrl = (id: string, format: string, version: number | null): string =>
  `${boot.api}/artifacts/${id}/export/?${new URLSearchParams({ format, ...(version !== null && { version: String(version) }) })}`
