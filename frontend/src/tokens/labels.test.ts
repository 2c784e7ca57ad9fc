import { expect, test } from 'vitest'
import { isExpired, tokenStatus } from './labels'

const NOW = Date.parse('2026-06-01T12:00:00Z')

test.each([
  [{ scopes: ['chat'], expiresAt: null, lastUsedAt: null }, 'Chat · never expires · not used yet'],
  [{ scopes: ['read', 'write'], expiresAt: '2026-07-01T12:00:00Z', lastUsedAt: null }, 'Read, Write · until Jul 1, 2026 · not used yet'],
  [{ scopes: ['read'], expiresAt: '2026-05-01T12:00:00Z', lastUsedAt: '2026-04-30T12:00:00Z' }, 'Read · expired May 1, 2026 · last used Apr 30, 2026'],
] as const)('%o: %s', (token, text) => {
  expect(tokenStatus(token, NOW)).toBe(text)
})

test('a token ends with its last moment', () => {
  expect(isExpired({ expiresAt: '2026-06-01T12:00:00Z' }, NOW)).toBe(true)
  expect(isExpired({ expiresAt: '2026-06-01T12:00:01Z' }, NOW)).toBe(false)
  expect(isExpired({ expiresAt: null }, NOW)).toBe(false)
})
