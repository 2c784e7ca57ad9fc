import { expect, test } from 'vitest'
import type { BudgetLeft } from '../api/generated'
import { beginsAnew, littleLeft } from './littleLeft'

const budget = (leftUsd: number, amountUsd = 5, period: BudgetLeft['period'] = 'month', holder: BudgetLeft['holder'] = 'member'): BudgetLeft => ({ holder, period, amountUsd, leftUsd, beginsAnew: period === 'total' ? null : '2026-12-01' })

test('a tenth that is left is not worth a word', () => {
  expect(littleLeft([])).toBeNull()
  expect(littleLeft([budget(0.5), budget(4)])).toBeNull()
})

test('the tightest budget is named', () => {
  expect(littleLeft([budget(0.4), budget(0.0312, 5, 'day')])).toBe('You have $0.031 left of the budget today.')
  expect(littleLeft([budget(0, 90, 'month', 'organization'), budget(0.4)])).toBe('Your organization has used up the budget this month.')
  expect(littleLeft([budget(0, 0, 'total')])).toBe('You have used up the budget.')
})

test('it says when a budget begins anew', () => {
  expect(beginsAnew(budget(1))).toBe('Resets on 1 December.')
  expect(beginsAnew(budget(1, 5, 'total'))).toBe('')
})
