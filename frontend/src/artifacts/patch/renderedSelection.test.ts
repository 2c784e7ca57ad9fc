import { expect, test } from 'vitest'
import { sourceRangeOf } from './renderedSelection'

const TEXT = '# Tea\n\nDrink it **hot**, hot, from a [cup](https://example.org/).\n\n- one leaf\n- two leaves\n\nThe end.\n'
const chosen = (words: string, first: number, last = first, text = TEXT, count = 4) => {
  const selected = sourceRangeOf(text, { words, first, last, count })
  return selected && text.slice(selected.start, selected.end)
}

test('words that the source has once are chosen alone', () => {
  expect(chosen('Drink it', 1)).toBe('Drink it')
  expect(chosen('Tea', 0)).toBe('Tea')
  expect(chosen('two leaves', 2)).toBe('two leaves')
})

test('words that the source writes otherwise, or more than once, choose their whole block', () => {
  const paragraph = 'Drink it **hot**, hot, from a [cup](https://example.org/).'
  expect(chosen('it hot, hot', 1)).toBe(paragraph)
  expect(chosen('hot', 1)).toBe(paragraph)
})

test('a selection over several blocks chooses all of them', () => {
  expect(chosen('one leaf\ntwo leaves\nThe', 2, 3)).toBe('- one leaf\n- two leaves\n\nThe end.')
})

test('nothing is chosen when display and source do not fit together', () => {
  expect(chosen('Tea', 0, 0, TEXT, 5)).toBeNull()
  expect(chosen('The end.', 3, 3, TEXT.replaceAll('\n', '\r\n'))).toBeNull()
})
