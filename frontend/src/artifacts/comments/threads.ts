import type { CommentAnchor, CommentItem } from '../../api/generated'

/** A comment with its replies. */
export type Thread = { readonly id: string; readonly first: CommentItem; readonly replies: readonly CommentItem[] }
/** A comment that is being written. */
export type Draft = { readonly id: string; readonly anchor: CommentAnchor }

export const openThreads = (comments: readonly CommentItem[]): readonly Thread[] =>
  comments
    .filter(({ threadId, resolvedAt }) => threadId === null && resolvedAt === null)
    .map((first) => ({ id: first.id, first, replies: comments.filter(({ threadId }) => threadId === first.id) }))
