import { expect, test } from 'vitest'
import { displayHost, keyStatus } from './labels'

test.each([
  ['https://api.example:443', 'api.example'],
  ['https://api.example:8443', 'api.example:8443'],
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
])('%s is shown as %s', (origin, host) => {
  expect(displayHost(origin)).toBe(host)
})

const KEY = { lastFour: 'wxyz', sessionOnly: false, stale: false }

test.each([
  [{ key: KEY, source: 'saved' }, true, 'Your key that ends in wxyz is used.'],
  [{ key: { ...KEY, sessionOnly: true }, source: 'session' }, true, 'Your key that ends in wxyz is used, until you sign out.'],
  [{ key: { ...KEY, lastFour: '' }, source: 'saved' }, true, 'Your key is used.'],
  [{ key: { ...KEY, stale: true }, source: 'organization' }, true, 'Your key was entered for another address and is not used. Enter it again.'],
  [{ key: KEY, source: 'organization' }, false, 'Your key that ends in wxyz is not used: your organization does not allow it now.'],
  [{ key: null, source: 'organization' }, true, 'Your organization’s key is used.'],
  [{ key: null, source: 'platform' }, true, 'The platform’s key is used.'],
  [{ key: null, source: null }, true, 'Not set'],
] as const)('%o with own keys allowed: %s', (keys, allowed, text) => {
  expect(keyStatus(keys, allowed)).toBe(text)
})
