import { expect, test } from 'vitest'
import { escapeFormulas, hasFormula } from './formulas'

test.each([
  ['=1+1,b\n', "'=1+1,b\n"],
  ['a,"=HYPERLINK(""x"",1)"\n', 'a,"\'=HYPERLINK(""x"",1)"\n'],
  ['a;@SUM(A1);-1,5\n', "a;'@SUM(A1);\"-1,5\"\n"],
  ['＝1+1,+3 %,-2.5 EUR\n', "'＝1+1,+3 %,-2.5 EUR\n"],
  ['" -cmd|x",a\n', "' -cmd|x,a\n"],
])('formulas become text: %s', (csv, safe) => {
  expect(escapeFormulas(csv)).toBe(safe)
  expect(hasFormula(safe)).toBe(false)
})

test('a table without formulas stays as it was written', () => {
  for (const csv of ['a,b\r\n1,-2\r\n', '\uFEFFa;b\n', 'a=b,x@example.org\n', '']) expect(escapeFormulas(csv)).toBe(csv)
})
