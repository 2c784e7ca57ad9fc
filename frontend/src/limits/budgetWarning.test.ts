import { expect, test } from 'vitest'
import type { RemainingBudget } from '../api/generated'
import { showCostsIn } from '../usage/money'
import { beginsAnew, budgetWarning } from './budgetWarning'

const budget = (leftUsd: number, amountUsd = 5, period: RemainingBudget['period'] = 'month', holder: RemainingBudget['holder'] = 'member'): RemainingBudget => ({ holder, period, amountUsd, leftUsd, beginsAnew: period === 'total' ? null : '2026-12-01' })

test('a tenth that is left is not worth a word', () => {
  expect(budgetWarning([])).toBeNull()
  expect(budgetWarning([budget(0.5), budget(4)])).toBeNull()
})

test('the tightest budget is named', () => {
  expect(budgetWarning([budget(0.4), budget(0.0312, 5, 'day')])).toBe('You have $0.031 left of the budget today.')
  expect(budgetWarning([budget(0, 90, 'month', 'organization'), budget(0.4)])).toBe('Your organization has used up the budget this month.')
  expect(budgetWarning([budget(0, 0, 'total')])).toBe('You have used up the budget.')
})

test('what is left is said in the currency of the organization', () => {
  showCostsIn({ code: 'EUR', perUsd: 0.5 })
  expect(budgetWarning([budget(2, 90)])).toBe('You have €1.00 left of the budget this month.')
  showCostsIn(undefined)
})

test('it says when a budget begins anew', () => {
  expect(beginsAnew(budget(1))).toBe('Resets on 1 December.')
  expect(beginsAnew(budget(1, 5, 'total'))).toBe('')
})
