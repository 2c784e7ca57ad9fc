import { expect, test } from 'vitest'
import { readNotification } from './notifyFrames'

const conversation = { id: 'c', title: 'T', updatedAt: '2026-01-01T00:00:00Z', createdAt: '2026-01-01T00:00:00Z', activeRun: false, waiting: null }

test('a changed conversation', () => {
  expect(readNotification(JSON.stringify({ type: 'conversation', conversation }))).toEqual({ type: 'conversation', conversation })
})

test('a deleted conversation', () => {
  expect(readNotification('{"type":"conversation-deleted","id":"c"}')).toEqual({ type: 'conversation-deleted', id: 'c' })
})

test.each(['not json', 'null', '[]', '{"type":"later"}', '{"type":"conversation","conversation":{"id":1}}', '{"type":"conversation-deleted"}'])(
  'an unknown frame is ignored: %s',
  (text) => {
    expect(readNotification(text)).toBeNull()
  },
)
