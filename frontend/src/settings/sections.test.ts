import { expect, test } from 'vitest'
import { placeOf, SECTION_NAMES, settingsHash } from './sections'

test('each section has an address that leads to it', () => {
  for (const name of SECTION_NAMES) expect(placeOf(settingsHash(name))).toBe(name)
  expect(placeOf(settingsHash('list'))).toBe('list')
})

test.each([
  ['', null],
  ['#m-0d5c', null],
  ['#settingsmore', null],
  ['#settings/', 'list'],
  ['#settings/nothing', 'list'],
] as const)('%j leads to %j', (hash, place) => {
  expect(placeOf(hash)).toBe(place)
})
