import { expect, test } from 'vitest'
import type { RemainingBudget } from '../api/generated'
import { lastDay } from './budgetForecast'

const budget = (amountUsd: number, leftUsd: number, beginsAnew: string | null = '2026-12-01'): RemainingBudget => ({ holder: 'member', group: '', period: 'month', amountUsd, spentUsd: amountUsd - leftUsd, leftUsd, beginsAnew })
const at = (day: string) => Date.parse(`2026-11-${day}T00:00:00Z`)

test.each([
  ['21', budget(25, 5), '2026-11-26'],
  ['16', budget(30, 15), null], // to the end of the month
  ['21', budget(25, 25), null],
  ['21', budget(25, 0), null],
  ['01', budget(25, 5), null],
  ['21', budget(25, 5, null), null],
])('on the %s, %o ends %s', (day, input, last) => expect(lastDay(input, at(day))).toBe(last))
