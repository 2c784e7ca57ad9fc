import { queryString, request } from '../api/client'
import type { NamedReaders, NewShare, ShareItem, ShareList, SharePreview } from '../api/generated'

/** What a link shows: one conversation or one artifact. */
export type SharedKind = ShareItem['of']

export const sharingApi = {
  list: () => request<ShareList>('GET', 'shares/'),
  preview: (of: SharedKind, target: string) => request<SharePreview>('GET', `shares/preview/${queryString({ of, target })}`),
  readers: (q: string) => request<NamedReaders>('GET', `shares/readers/${queryString({ q })}`),
  create: (share: NewShare) => request<ShareItem>('POST', 'shares/', share),
  extend: (id: string, days: number | null) => request<ShareItem>('PATCH', `shares/${id}/`, { days }),
  stop: (id: string) => request<null>('DELETE', `shares/${id}/`),
}
