import { expect, test } from 'vitest'
import { blockedBy, toggleRedaction, isRedacted, redact, NO_REDACTIONS, type Check } from './redactions'

const KEY: Check = { kind: 'secret', text: 'Use [removed] here' }
const ADDRESS: Check = { kind: 'address', text: 'j.weber@northwind.example' }

test('a key stands in the way until it is hidden, and always for those who may edit', () => {
  expect(blockedBy([ADDRESS], NO_REDACTIONS, false)).toBe('')
  expect(blockedBy([KEY], NO_REDACTIONS, false)).toBe('There is a key or a password in it. Hide it first.')
  const hidden = toggleRedaction(KEY, NO_REDACTIONS)
  expect(isRedacted(KEY, hidden)).toBe(true)
  expect(blockedBy([KEY], hidden, false)).toBe('')
  expect(blockedBy([KEY], hidden, true)).not.toBe('')
})

test('an address is hidden wherever it stands, and shown again', () => {
  const hidden = toggleRedaction(ADDRESS, NO_REDACTIONS)
  expect(redact('To j.weber@northwind.example and j.weber@northwind.example.', hidden)).toBe('To [removed] and [removed].')
  expect(toggleRedaction(ADDRESS, hidden)).toEqual(NO_REDACTIONS)
})

test('a longer text is hidden before a part of it', () => {
  expect(redact('lanes_2026.xlsx', { texts: ['lanes', 'lanes_2026.xlsx'], keys: false })).toBe('[removed]')
})
