import { expect, test } from 'vitest'
import { parseCsv, separatorOf, writeCsv } from './csv'

test.each([
  ['plain rows', 'a,b\n1,2\n', [['a', 'b'], ['1', '2']]],
  ['no last line end', 'a,b\n1,2', [['a', 'b'], ['1', '2']]],
  ['empty cells', 'a,,\n,,b\n', [['a', '', ''], ['', '', 'b']]],
  ['quotes, separators and line ends inside', '"a ""b""","c,d","e\nf"\n', [['a "b"', 'c,d', 'e\nf']]],
  ['the line ends of Windows and old Macs', 'a\r\nb\rc', [['a'], ['b'], ['c']]],
  ['semicolons', 'a;b;c,d\n1;2;3\n', [['a', 'b', 'c,d'], ['1', '2', '3']]],
  ['a byte order mark', '\uFEFFa,b\n', [['a', 'b']]],
  ['an empty line', 'a\n\nb\n', [['a'], [''], ['b']]],
  ['a quote that never ends', '"a,b\n', [['a,b\n']]],
  ['nothing', '', []],
])('reading %s', (_, csv, rows) => {
  expect(parseCsv(csv)).toEqual(rows)
})

test('what was written is read again', () => {
  const table = [['name', 'note'], ['a,b', 'say "hi"'], ['', ' spaced '], ['two\nlines', 'é🍵']]
  expect(parseCsv(writeCsv(table))).toEqual(table)
  expect(parseCsv(writeCsv(table, ';'), ';')).toEqual(table)
})

test('a comma in a cell is not taken for the separator', () => {
  for (const table of [[['a, b, c', 'd'], ['1', '2']], [['a,\nb,', 'd']]]) expect(parseCsv(writeCsv(table, ';'))).toEqual(table)
})

test('a separator inside quotes does not count', () => {
  expect(separatorOf('"a;b;c",d')).toBe(',')
})

test('10,000 rows are read and written within a blink', () => {
  const table = Array.from({ length: 10_000 }, (_, row) => Array.from({ length: 12 }, (_, column) => `cell ${row}, ${column}`))
  const started = performance.now()
  expect(parseCsv(writeCsv(table))).toHaveLength(10_000)
  expect(performance.now() - started).toBeLessThan(2_000)
})
