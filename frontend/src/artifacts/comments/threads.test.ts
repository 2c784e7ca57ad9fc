import { expect, test } from 'vitest'
import type { CommentItem } from '../../api/generated'
import { repliesAtRest, shownThreads, threadsOf } from './threads'

const comment = (id: string, more: Partial<CommentItem> = {}): CommentItem => ({
  id,
  shareId: 'link',
  author: 'Bob',
  text: 'Why?',
  messageId: null,
  artifactId: 'document',
  version: 1,
  anchor: null,
  threadId: null,
  createdAt: '2026-11-29T09:00:00Z',
  editedAt: null,
  resolvedAt: null,
  resolvedBy: '',
  mayComment: true,
  mayEdit: true,
  mayDelete: true,
  ...more,
})
const done = { resolvedAt: '2026-11-29T09:05:00Z', resolvedBy: 'Alice' }
const threads = threadsOf([comment('open'), comment('done', done), comment('answer', { threadId: 'done' }), comment('other', done)])
const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)

test('a reply belongs to the comment that it answers', () => {
  expect(threads.map(({ id, replies }) => [id, ids(replies)])).toEqual([['open', []], ['done', ['answer']], ['other', []]])
})

test('resolved threads are shown on demand', () => {
  expect(ids(shownThreads(threads, false, []))).toEqual(['open'])
  expect(ids(shownThreads(threads, true, []))).toEqual(['open', 'done', 'other'])
})

test('a thread that somebody else resolves stays while it is looked at or answered', () => {
  expect(ids(shownThreads(threads, false, ['done']))).toEqual(['open', 'done'])
})

test('a long thread at rest shows its last reply', () => {
  const replies = ['1', '2', '3'].map((id) => comment(id))
  expect(ids(repliesAtRest(replies))).toEqual(['3'])
  expect(ids(repliesAtRest(replies.slice(1)))).toEqual(['2', '3'])
})
