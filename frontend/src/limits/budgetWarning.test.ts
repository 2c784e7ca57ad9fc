import { expect, test } from 'vitest'
import type { RemainingBudget } from '../api/generated'
import { showCostsIn } from '../usage/money'
import { budgetWarning } from './budgetWarning'

const budget = (leftUsd: number, amountUsd = 5, period: RemainingBudget['period'] = 'month', holder: RemainingBudget['holder'] = 'member'): RemainingBudget => ({ holder, group: '', period, amountUsd, spentUsd: amountUsd - leftUsd, leftUsd, beginsAnew: period === 'total' ? null : '2026-12-01' })

test('a budget is worth a word from three quarters on, and urgent when little is left', () => {
  expect(budgetWarning([])).toBeNull()
  expect(budgetWarning([budget(1.26), budget(4)])).toBeNull()
  expect(budgetWarning([budget(1.25)])).toEqual({ text: '$1.25 of your $5.00 left until 1 December', usedShare: 0.75, urgent: false })
  expect(budgetWarning([budget(0.25)])?.urgent).toBe(true)
})

test('the tightest budget is named', () => {
  expect(budgetWarning([budget(0.4), budget(0.0312, 5, 'day')])?.text).toBe('$0.031 of your $5.00 left until 1 December')
  expect(budgetWarning([budget(5, 90, 'month', 'organization')])?.text).toBe('$5.00 of your organization’s $90.00 left until 1 December')
  expect(budgetWarning([budget(5, 90, 'month', 'group')])?.text).toBe('$5.00 of your group’s $90.00 left until 1 December')
  expect(budgetWarning([budget(1, 5, 'total')])?.text).toBe('$1.00 of your $5.00 left')
})

test('one that is used up says when it starts again', () => {
  expect(budgetWarning([budget(0, 90, 'month', 'organization'), budget(0.4)])?.text).toBe('Your organization’s $90.00 for November is used up. It starts again on 1 December.')
  expect(budgetWarning([budget(0, 5, 'day')])?.text).toBe('Your $5.00 for today is used up. It starts again on 1 December.')
  expect(budgetWarning([budget(0, 5, 'day'), budget(0, 90, 'month', 'organization'), budget(0.4)])?.text).toContain('$90.00 for November')
})

test('one that allows nothing does not start again', () => {
  expect(budgetWarning([budget(0, 0)])).toEqual({ text: 'Your budget allows nothing. Ask an admin.', usedShare: 1, urgent: true })
  expect(budgetWarning([budget(0, 5), budget(0, 0, 'day', 'organization')])?.text).toBe('Your organization’s budget allows nothing. Ask an admin.')
})

test('what is left is said in the currency of the organization', () => {
  showCostsIn({ code: 'EUR', perUsd: 0.5 })
  expect(budgetWarning([budget(2, 90)])?.text).toBe('€1.00 of your €45.00 left until 1 December')
  showCostsIn(undefined)
})
