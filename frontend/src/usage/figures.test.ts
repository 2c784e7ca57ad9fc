import { expect, test } from 'vitest'
import { costText, short, sumOf } from './figures'
import { money, showCostsIn } from './money'

test.each([
  [2.1, '$2.10'],
  [0.031, '$0.031'],
  [0.0004, '$0.0004'],
  [0.00001, '< $0.0001'],
  [0, '$0.00'],
])('%d US dollars', (usd, text) => {
  expect(money(usd)).toBe(text)
})

test('amounts are shown in the currency of the organization', () => {
  showCostsIn({ code: 'EUR', perUsd: 0.5 })
  expect([money(2.1), money(0.031)]).toEqual(['€1.05', '€0.016'])
  showCostsIn({ code: 'JPY', perUsd: 150 })
  expect(money(2.1)).toBe('¥315')
  showCostsIn(undefined)
})

test('an unknown price is never 0', () => {
  expect(costText({ costUsd: null, unpricedCalls: 3 })).toBe('unknown')
  expect(costText({ costUsd: 0.5, unpricedCalls: 1 })).toBe('$0.500 + unknown')
  expect(sumOf([]).costUsd).toBeNull()
})

test.each([[312, '312'], [21_400, '21.4 k'], [412_000, '412 k'], [4_100_000, '4.1 M']])('%d in short', (value, text) => {
  expect(short(value)).toBe(text)
})
