import { expect, test } from 'vitest'
import type { MessageLimitLeft } from '../api/generated'
import { fewLeft } from './fewLeft'

const limit = (left: number | null, count = 60, window: MessageLimitLeft['window'] = 'hour', holder: MessageLimitLeft['holder'] = 'member'): MessageLimitLeft => ({ holder, window, count, left })

test('much that is left is not worth a word', () => {
  expect(fewLeft([])).toBeNull()
  expect(fewLeft([limit(7), limit(null), limit(11, 1000)])).toBeNull()
})

test('the tightest limit is named', () => {
  expect(fewLeft([limit(6), limit(1, 5, 'minute')])).toBe('You have 1 message left this minute.')
  expect(fewLeft([limit(0, 400, 'month', 'organization')])).toBe('Your organization has no messages left in these 30 days.')
  expect(fewLeft([limit(9, 2000, 'day')])).toBe('You have 9 messages left today.')
})
