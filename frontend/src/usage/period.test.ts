import { expect, test } from 'vitest'
import { columnsOf, periodOf } from './period'

const NOW = Date.parse('2026-11-23T10:00:00Z')

test('the periods end today', () => {
  expect(periodOf('week', NOW)).toEqual({ first: '2026-11-17', last: '2026-11-23' })
  expect(periodOf('month', NOW)).toEqual({ first: '2026-11-01', last: '2026-11-23' })
  expect(periodOf('year', NOW)).toEqual({ first: '2025-12-01', last: '2026-11-23' })
})

test('a month has a column for each of its days, a year one for each month', () => {
  const month = columnsOf('month', periodOf('month', NOW), [])
  expect([month.length, month[0]?.label, month.at(-1)?.label]).toEqual([30, '1 Nov', '30 Nov'])
  const year = columnsOf('year', periodOf('year', NOW), [])
  expect([year.length, year[0]?.title, year.at(-1)?.title]).toEqual([12, 'December 2025', 'November 2026'])
})
