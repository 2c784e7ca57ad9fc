import { expect, test } from 'vitest'
import { grammarOf } from './grammars'

test.each([
  ['python', 'python'],
  ['py title="x"', 'python'],
  ['TS', 'typescript'],
  ['c++', 'cpp'],
  ['mermaid', undefined],
  ['', undefined],
  [undefined, undefined],
])('fence %s', (info, grammar) => {
  expect(grammarOf(info)).toBe(grammar)
})
