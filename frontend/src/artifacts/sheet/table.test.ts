import { expect, test } from 'vitest'
import { columnLetter, columnCount, withBlock, withCells, withColumn, withRow } from './table'

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
])('column %i is %s', (index, letters) => {
  expect(columnLetter(index)).toBe(letters)
})

test('a cell beyond the end of its row makes the row longer', () => {
  expect(withCells(['a'], 2, ['c'])).toEqual(['a', '', 'c'])
})

test('a pasted block replaces what it covers and makes the table bigger', () => {
  expect(withBlock([['a', 'b'], ['c']], [1], 1, [['1', '2'], ['3', '4']])).toEqual([['a', 'b'], ['c', '1', '2'], ['', '3', '4']])
})

test('a new row and a new column reach across the whole table', () => {
  const table = [['a', 'b', 'c', 'd'], ['e']]
  expect(withRow(table).at(-1)).toEqual(['', '', '', ''])
  expect(withColumn(table).map((row) => row.length)).toEqual([5, 5])
  expect(columnCount(withColumn([]))).toBe(4)
})
