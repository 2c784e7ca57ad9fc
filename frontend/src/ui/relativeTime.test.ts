import { expect, test } from 'vitest'
import { relativeTime } from './relativeTime'

const NOW = new Date(2026, 10, 23, 18, 0).getTime()

test.each([
  [new Date(2026, 10, 23, 17, 59, 30), 'just now'],
  [new Date(2026, 10, 23, 17, 56), '4 min ago'],
  [new Date(2026, 10, 23, 9, 5), '09:05'],
  [new Date(2026, 10, 22, 23, 50), 'yesterday, 23:50'],
  [new Date(2026, 10, 13, 9, 5), '13 Nov, 09:05'],
  [new Date(2025, 10, 13, 9, 5), '13 Nov 2025'],
])('%s', (time, text) => {
  expect(relativeTime(time.getTime(), NOW)).toBe(text)
})
