import { i18n } from '@lingui/core'
import { afterEach, expect, test } from 'vitest'
import { duration, oneDecimal } from './numbers'

afterEach(() => i18n.activate('en'))

test.each([
  [840.4, '840 ms'],
  [4210, '4.2 s'],
  [65_000, '1 min 5 s'],
])('%d ms', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('numbers are written as the language of the page writes them', () => {
  expect([oneDecimal(4), oneDecimal(1204.25)]).toEqual(['4.0', '1204.3'])
  i18n.loadAndActivate({ locale: 'de', messages: {} })
  expect([oneDecimal(4), duration(4210)]).toEqual(['4,0', '4,2 s'])
})
