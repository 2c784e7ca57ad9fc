import { expect, test } from 'vitest'
import { changeSheet, readSheet, writeSheet } from './source'
import { withBlock, withRow } from './table'

const SHEETS: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a byte order mark, semicolons and the line ends of Windows', '\uFEFFa;b\r\n1;"2"\r\n'],
  ['quotes that were not needed', '"a","b" ,c\n"1", 2,"x ""y"""\n'],
  ['no last line end', 'a,b\n1,2'],
  ['line ends inside cells', 'a,"b\nc"\n\n"d\r\ne",f\n'],
  ['rows of different lengths', 'a\nb,c,,\n,\n'],
  ['a quote that never ends', 'a,"b\nc'],
]

test.each(SHEETS)('%s: read and write gives the same bytes', (_, text) => {
  expect(writeSheet(readSheet(text))).toBe(text)
})

const put = (text: string, row: number, column: number, value: string): string => {
  const source = readSheet(text)
  return writeSheet(changeSheet(source, withBlock(source.table, [row], column, [[value]])))
}

test.each([
  ['"a","b"\r\n"1", 2\r\n"3","4"\r\n', 1, 1, '5', '"a","b"\r\n"1",5\r\n"3","4"\r\n'],
  ['a;"b"\n1;2', 1, 0, 'x;y', 'a;"b"\n"x;y";2\n'],
  ['a,b\n"1"\n', 1, 1, 'new', 'a,b\n"1",new\n'],
])('a changed cell leaves all others as they were: %j', (text, row, column, value, expected) => {
  expect(put(text, row, column, value)).toBe(expected)
})

test('a second change builds on the first', () => {
  const source = readSheet('"a","b"\n"c","d"\n')
  const once = changeSheet(source, withBlock(source.table, [0], 0, [['x']]))
  expect(writeSheet(changeSheet(once, withBlock(once.table, [0], 1, [['y']])))).toBe('x,y\n"c","d"\n')
})

test('a new row ends the last one', () => {
  const source = readSheet('"a",b\n1,2')
  expect(writeSheet(changeSheet(source, withRow(source.table)))).toBe('"a",b\n1,2\n,,\n')
})
