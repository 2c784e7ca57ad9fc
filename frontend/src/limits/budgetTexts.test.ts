import { expect, test } from 'vitest'
import type { RemainingBudget } from '../api/generated'
import { beginsAnew, budgetTitle, isLow, leftText, overdrawnBy, tightest, usedOf } from './budgetTexts'

const budget = (spentUsd: number, values: Partial<RemainingBudget> = {}): RemainingBudget => {
  const amountUsd = values.amountUsd ?? 5
  return { holder: 'member', group: '', period: 'month', spentUsd, leftUsd: Math.max(0, amountUsd - spentUsd), beginsAnew: '2026-12-01', ...values, amountUsd }
}

test.each([
  ['what is left', budget(2), '$3.00 of $5.00 left', '', 0.4, false],
  ['little is left', budget(4.75), '$0.250 of $5.00 left', '', 0.95, true],
  ['it is used up to the cent', budget(5), 'Used up', '', 1, true],
  ['it is overdrawn', budget(5.42), 'Used up, $0.420 over $5.00', '$0.420', 1, true],
  ['it allows nothing', budget(0, { amountUsd: 0 }), 'Used up', '', 1, true],
  ['it allows nothing any more', budget(3, { amountUsd: 0 }), 'Used up', '', 1, true],
])('a budget says %s', (_, input, words, over, usedShare, low) => {
  expect([leftText(input), overdrawnBy(input), usedOf(input), isLow(input)]).toEqual([words, over, usedShare, low])
})

test('a budget says whose it is', () => {
  expect(budgetTitle(budget(1))).toBe('Your budget this month')
  expect((['day', 'month', 'total'] as const).map((period) => budgetTitle(budget(1, { holder: 'group', group: 'Sales', period })))).toEqual(['Budget of Sales today', 'Budget of Sales this month', 'Budget of Sales'])
  expect(budgetTitle(budget(1, { holder: 'organization', period: 'total' }))).toBe('Your organization’s budget')
})

test('the tightest has the least left, or stays used up longest', () => {
  const [own, all] = [budget(2), budget(88, { amountUsd: 90, holder: 'organization' })]
  const [day, month, total, nothing] = [budget(9, { period: 'day' }), budget(5), budget(6, { period: 'total' }), budget(0, { amountUsd: 0, period: 'day' })]
  expect(tightest([])).toBeUndefined()
  expect(tightest([own, all])).toBe(all)
  expect(tightest([day, own, month])).toBe(month)
  expect(tightest([month, total])).toBe(total)
  expect(tightest([total, nothing])).toBe(nothing)
})

test('it says when a budget begins anew', () => {
  expect(beginsAnew(budget(1))).toBe('Resets on 1 December.')
  expect(beginsAnew(budget(1, { period: 'total', beginsAnew: null }))).toBe('')
  expect(beginsAnew(budget(1, { amountUsd: 0 }))).toBe('')
})
