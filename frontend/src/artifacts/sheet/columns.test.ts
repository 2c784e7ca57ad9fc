import { expect, test } from 'vitest'
import { hasHeader, isNumber, isNumeric, numberOf, shownRows } from './columns'

test.each([
  ['12', 12],
  ['-1.5', -1.5],
  ['1,234.50', 1234.5],
  ['1.234,50', 1234.5],
  ['1,234', 1234],
  ['3,5', 3.5],
  ['12 %', 12],
  ['€ 7', 7],
  ['2e3', 2000],
])('%s is the number %d', (cell, value) => {
  expect(isNumber(cell)).toBe(true)
  expect(numberOf(cell)).toBe(value)
})

test.each(['', 'a', '1-2', '2026-11-27', '1.2.3', 'A1'])('%j is no number', (cell) => {
  expect(isNumber(cell)).toBe(false)
})

test('a first row of different words is a header', () => {
  expect(hasHeader([['name', 'price'], ['tea', '3']])).toBe(true)
  for (const table of [[], [['name']], [['name', '3'], ['tea', '4']], [['', 'price'], ['tea', '3']], [['a', 'a'], ['b', 'c']]]) expect(hasHeader(table)).toBe(false)
})

const TABLE = [['name', 'price'], ['b', '10'], ['a', '9'], ['c', ''], ['B', 'free']]

test('rows are shown in another order, numbers as numbers, empty cells last', () => {
  const all = { column: null, text: '' }
  expect(shownRows(TABLE, 1, null, all)).toEqual([1, 2, 3, 4])
  expect(shownRows(TABLE, 1, { column: 1, descending: false }, all)).toEqual([2, 1, 4, 3])
  expect(shownRows(TABLE, 1, { column: 1, descending: true }, all)).toEqual([4, 1, 2, 3])
  expect(shownRows(TABLE, 1, { column: 0, descending: false }, all)).toEqual([2, 1, 4, 3])
})

test('a filter looks into one column or into all', () => {
  expect(shownRows(TABLE, 1, null, { column: 0, text: 'b' })).toEqual([1, 4])
  expect(shownRows(TABLE, 1, null, { column: null, text: 'FREE' })).toEqual([4])
})

test('a column of numbers may have gaps', () => {
  expect(isNumeric([['1'], [''], ['2,5']], 0)).toBe(true)
  expect(isNumeric([['1'], ['x']], 0)).toBe(false)
  expect(isNumeric([[''], []], 0)).toBe(false)
})

test('100,000 rows are sorted and filtered while a reader waits', () => {
  const table = Array.from({ length: 100_000 }, (_, row) => [`name ${(row * 7919) % 100_000}`, String((row * 31) % 1000)])
  const started = performance.now()
  expect(shownRows(table, 0, { column: 0, descending: false }, { column: null, text: '1' }).length).toBeGreaterThan(10_000)
  expect(performance.now() - started).toBeLessThan(5_000)
})
