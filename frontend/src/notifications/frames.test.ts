import { expect, test } from 'vitest'
import { readNotification } from './frames'

const conversation = { id: 'c', revision: 7, title: 'T', updatedAt: '2026-01-01T00:00:00Z', createdAt: '2026-01-01T00:00:00Z', activeRun: false, waiting: null }

test('a changed conversation', () => {
  expect(readNotification(JSON.stringify({ type: 'conversation', conversation }))).toEqual({ type: 'conversation', conversation })
})

test('a new version of an artifact', () => {
  const artifact = { id: 'a', title: 'T', kind: 'text', status: 'ready', version: 3, operation: 'revert', callId: '' }
  const notification = { type: 'artifact', conversationId: 'c', artifact }
  expect(readNotification(JSON.stringify(notification))).toEqual(notification)
})

test('several conversations at once', () => {
  expect(readNotification('{"type":"conversations-deleted","ids":["c","d"]}')).toEqual({ type: 'conversations-deleted', ids: ['c', 'd'] })
  for (const type of ['conversations', 'conversations-restored'] as const) {
    expect(readNotification(JSON.stringify({ type, conversations: [conversation] }))).toEqual({ type, conversations: [conversation] })
    expect(readNotification(JSON.stringify({ type, conversations: [{ id: 1 }] }))).toBeNull()
  }
})

test.each(['not json', 'null', '[]', '{"type":"later"}', '{"type":"conversation","conversation":{"id":1}}', '{"type":"conversations-deleted"}', '{"type":"artifact","conversationId":"c","artifact":{"id":"a"}}'])(
  'an unknown frame is ignored: %s',
  (text) => {
    expect(readNotification(text)).toBeNull()
  },
)
