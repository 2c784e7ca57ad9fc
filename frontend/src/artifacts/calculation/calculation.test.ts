import { expect, test } from 'vitest'
import { calculate } from './calculation'
import { withoutRowInFormulas } from './rowRemoval'

/** What a formula in C1 shows beside these two columns. */
const TABLE = [
  ['1', 'apples'],
  ['2', 'Pears'],
  ['3', ''],
  ['10 %', '2026-03-01'],
]
const resultOf = (formula: string): string => calculate(TABLE.map((row, index) => (index ? row : [...row, formula])))[0]![2]

test.each([
  ['=SUM(A1:A3)', '6'],
  ['=sum($A$1:A3; 4)', '10'],
  ['=SUM(A:A)*2', '12.2'],
  ['=AVERAGE(A1:A3)+0.1+0.2', '2.3'],
  ['=-A2^2', '4'],
  ['=50%*A2', '1'],
  ['=A1&" "&B1', '1 apples'],
  ['=IF(A1>=2,"big",IF(B3="","none","some"))', 'none'],
  ['=B1="APPLES"', 'TRUE'],
  ['=COUNTIF(B1:B3,"Pears")', '1'],
  ['=SUMPRODUCT((B1:B3="Pears")*A1:A3)', '2'],
  ['=VLOOKUP(2,A1:B3,2,FALSE)', 'Pears'],
  ['=STDEV(A1:A3)', '1'],
  ['=STDEV.S(A1:A3)', '1'],
  ['=_xlfn.CONCAT("a","b")', 'ab'],
  ['=ROUND(2/3,2)', '0.67'],
  ['=B4+7', '2026-03-08'],
  ['=DATE(2026,3,31)-B4', '30'],
  ['=ROW()+COLUMN(B2)', '3'],
  ['=LET(x,A2,x*x)', '4'],
  ['=IFERROR(1/0,"none")', 'none'],
  ['=B3', '0'],
  ['=Z99+1', '1'],
  ['=1/0', '#DIV/0!'],
  ['=AVERAGE(B1:B2)', '#NUM!'],
  ['=B1+1', '#VALUE!'],
  ['=Other!A1', '#REF!'],
  ['=NOTHING(1)', '#NAME?'],
  ['=constructor(1)', '#NAME?'],
  ['=SQRT(-1)', '#NUM!'],
  ['=MATCH("x",B1:B3,0)', '#N/A'],
  ['=SUM(A1:A3,1/0)', '#DIV/0!'],
  ['=C1', '#CYCLE!'],
  ['=SUM(A1:C1)', '#CYCLE!'],
  ['=SUM(A1:', '#ERROR!'],
])('%s shows %s', (formula, text) => {
  expect(resultOf(formula)).toBe(text)
})

test('formulas use the results of others, in any order and however many', () => {
  const rows = 5_000
  const upward = Array.from({ length: rows }, (_, row) => [row === rows - 1 ? '1' : `=A${row + 2}+1`])
  expect(calculate(upward)[0]).toEqual([0, 0, String(rows)])
  expect(calculate([['=B1', '=A1', '=A1']]).map(([, , text]) => text)).toEqual(['#CYCLE!', '#CYCLE!', '#CYCLE!'])
})

test('a cycle ends, however long it is', () => {
  const ring = Array.from({ length: 1_001 }, (_, row) => [`=A${((row + 1) % 1_001) + 1}+1`])
  expect(new Set(calculate(ring).map(([, , text]) => text))).toEqual(new Set(['#CYCLE!']))
})

test('a table with decimal commas shows results with them', () => {
  expect(calculate([['1,5', '2,25', '=A1+B1']])).toEqual([[0, 2, '3,75']])
})

test('a deleted row moves the references below it', () => {
  const table = [['n'], ['1'], ['2'], ['=SUM(A2:A3)+$A$3'], ['=A2'], ['text A3'], ['=Other!A3']]
  expect(withoutRowInFormulas(table, 1)).toEqual([['n'], ['1'], ['2'], ['=SUM(A2)+$A$2'], ['=#REF!'], ['text A3'], ['=Other!A3']])
})
