import type { CommentAnchor, CommentItem } from '../../api/generated'

/** A comment with its replies. */
export type Thread = { readonly id: string; readonly first: CommentItem; readonly replies: readonly CommentItem[] }
/** A comment that is being written. */
export type Draft = { readonly id: string; readonly anchor: CommentAnchor }

export const threadsOf = (comments: readonly CommentItem[]): readonly Thread[] =>
  comments.filter(({ threadId }) => threadId === null).map((first) => ({ id: first.id, first, replies: comments.filter(({ threadId }) => threadId === first.id) }))

export const isResolved = ({ first }: Thread): boolean => first.resolvedAt !== null

/** A thread that somebody else resolves stays while one of `keptIds` is its id: it is looked at, or answered. */
export const shownThreads = (threads: readonly Thread[], showsResolved: boolean, keptIds: readonly string[]): readonly Thread[] =>
  threads.filter((thread) => showsResolved || !isResolved(thread) || keptIds.includes(thread.id))

/** At rest, a longer thread shows only its last reply. */
const MAX_AT_REST = 2
export const repliesAtRest = (replies: readonly CommentItem[]): readonly CommentItem[] => (replies.length > MAX_AT_REST ? replies.slice(-1) : replies)
