import { expect, test } from 'vitest'
import { backoffMs } from './backoff'

test('pauses grow up to the longest', () => {
  expect([0, 1, 2, 5, 20].map((attempt) => backoffMs(attempt, 300, 8000, 1))).toEqual([300, 600, 1200, 8000, 8000])
})

test('pages that lost their server together come back spread over half of the pause', () => {
  const pauses = Array.from({ length: 200 }, () => backoffMs(20, 300, 8000))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(4000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(8000)
  expect(new Set(pauses.map((pause) => Math.floor((pause - 4000) / 1000))).size).toBeGreaterThan(2)
})
