import { queryString, request } from '../api/client'
import type { CommentItem, NamedReaders, NewComment, NewShare, OpenedShare, ShareChange, ShareItem, ShareList, SharePreview } from '../api/generated'

/** What a link shows: one conversation, one answer or one artifact. */
export type SharedKind = ShareItem['of']

export const sharingApi = {
  list: () => request<ShareList>('GET', 'shares/'),
  preview: (of: SharedKind, target: string) => request<SharePreview>('GET', `shares/preview/${queryString({ of, target })}`),
  readers: (q: string) => request<NamedReaders>('GET', `shares/readers/${queryString({ q })}`),
  create: (share: NewShare) => request<ShareItem>('POST', 'shares/', share),
  change: (id: string, change: ShareChange) => request<ShareItem>('PATCH', `shares/${id}/`, change),
  open: (id: string) => request<OpenedShare>('GET', `shares/${id}/opened/`),
  comment: (id: string, comment: NewComment) => request<CommentItem>('POST', `shares/${id}/comments/`, comment),
  resolveComment: (id: string, commentId: string, resolved: boolean) => request<CommentItem>('PATCH', `shares/${id}/comments/${commentId}/`, { resolved }),
  editComment: (id: string, commentId: string, text: string) => request<CommentItem>('PATCH', `shares/${id}/comments/${commentId}/`, { text }),
  deleteComment: (id: string, commentId: string) => request<null>('DELETE', `shares/${id}/comments/${commentId}/`),
  stop: (id: string) => request<null>('DELETE', `shares/${id}/`),
}
