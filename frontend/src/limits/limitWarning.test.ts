import { expect, test } from 'vitest'
import type { RemainingLimit } from '../api/generated'
import { limitWarning, timeText } from './limitWarning'

const limit = (left: number | null, count = 60, fields: Partial<RemainingLimit> = {}): RemainingLimit => ({ holder: 'member', agent: '', agentLabel: '', measure: 'messages', window: 'hour', count, left, resetsInS: left === null ? null : 840, ...fields })

test('much that is left is not worth a word', () => {
  expect(limitWarning([])).toBeNull()
  expect(limitWarning([limit(7), limit(null), limit(11, 1000), limit(100, 1000, { measure: 'tokens' }), limit(0.6, 5, { measure: 'cost' })])).toBeNull()
})

test('the tightest limit is named', () => {
  expect(limitWarning([limit(6), limit(1, 5, { window: 'minute' })])).toBe('You have 1 message left this minute.')
  expect(limitWarning([limit(3), limit(0, 400, { window: 'month', holder: 'organization' })])).toBe('Your organization has no messages left in these 30 days. You can continue in 14 minutes.')
  expect(limitWarning([limit(9, 2000, { window: 'day' })])).toBe('You have 9 messages left in these 24 hours.')
})

test('tokens, answers and money have their own words', () => {
  expect(limitWarning([limit(4200, 50_000, { measure: 'tokens' })])).toBe('You have 4,200 tokens left this hour.')
  expect(limitWarning([limit(0.4, 5, { measure: 'cost', window: 'day' })])).toBe('You have $0.400 left in these 24 hours.')
  const agents = limit(0, 5, { measure: 'runs', holder: 'agent', agent: 'document_agent', agentLabel: 'Document agent' })
  expect(limitWarning([agents])).toBe('“Document agent” has no answers left this hour. It can go on in 14 minutes.')
  expect(limitWarning([agents, limit(2)])).toBe('You have 2 messages left this hour.')
  expect(limitWarning([limit(0, 5, { measure: 'runs', holder: 'assistant' })])).toBe('This assistant has no answers left this hour. You can continue in 14 minutes.')
})

test('a wait that is longer than the window says why', () => {
  const passed = limit(0, 1000, { measure: 'tokens', window: 'day', resetsInS: 111_600 })
  expect(limitWarning([passed])).toBe('You have no tokens left in these 24 hours. You can continue in 2 days. More than that was used, so the wait is longer.')
  expect(limitWarning([{ ...passed, resetsInS: 3600 }])).toBe('You have no tokens left in these 24 hours. You can continue in 60 minutes.')
})

test('a time to wait is rounded up', () => {
  expect([0.2, 59, 61, 7300, 200_000].map(timeText)).toEqual(['1 second', '59 seconds', '2 minutes', '3 hours', '3 days'])
})
