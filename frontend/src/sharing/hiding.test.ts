import { expect, test } from 'vitest'
import { blockedBy, flipped, isHidden, masked, NOTHING_HIDDEN, type Check } from './hiding'

const KEY: Check = { kind: 'secret', text: 'Use [removed] here' }
const ADDRESS: Check = { kind: 'address', text: 'j.weber@northwind.example' }

test('a key stands in the way until it is hidden, and always for those who may edit', () => {
  expect(blockedBy([ADDRESS], NOTHING_HIDDEN, false)).toBe('')
  expect(blockedBy([KEY], NOTHING_HIDDEN, false)).toBe('There is a key or a password in it. Hide it first.')
  const hidden = flipped(KEY, NOTHING_HIDDEN)
  expect(isHidden(KEY, hidden)).toBe(true)
  expect(blockedBy([KEY], hidden, false)).toBe('')
  expect(blockedBy([KEY], hidden, true)).not.toBe('')
})

test('an address is hidden wherever it stands, and shown again', () => {
  const hidden = flipped(ADDRESS, NOTHING_HIDDEN)
  expect(masked('To j.weber@northwind.example and j.weber@northwind.example.', hidden)).toBe('To [removed] and [removed].')
  expect(flipped(ADDRESS, hidden)).toEqual(NOTHING_HIDDEN)
})

test('a longer text is hidden before a part of it', () => {
  expect(masked('lanes_2026.xlsx', { texts: ['lanes', 'lanes_2026.xlsx'], keys: false })).toBe('[removed]')
})
