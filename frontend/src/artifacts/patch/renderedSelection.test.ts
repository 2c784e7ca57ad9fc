import { expect, test } from 'vitest'
import { sourceRangeOf } from './renderedSelection'

const TEXT = '# Tea\n\nDrink it **hot**, hot, from a [cup](https://example.org/).\n\n- one leaf\n- two leaves\n\nThe end.\n'
const sourceOf = (words: string, first: number, last = first, text = TEXT, count = 4) => {
  const selected = sourceRangeOf(text, { words, first, last, count })
  return selected && text.slice(selected.start, selected.end)
}

test('words that the source has once are chosen alone', () => {
  expect(sourceOf('Drink it', 1)).toBe('Drink it')
  expect(sourceOf('Tea', 0)).toBe('Tea')
  expect(sourceOf('two leaves', 2)).toBe('two leaves')
})

test('words that the source writes otherwise, or more than once, choose their whole block', () => {
  const paragraph = 'Drink it **hot**, hot, from a [cup](https://example.org/).'
  expect(sourceOf('it hot, hot', 1)).toBe(paragraph)
  expect(sourceOf('hot', 1)).toBe(paragraph)
})

test('a selection over several blocks chooses all of them', () => {
  expect(sourceOf('one leaf\ntwo leaves\nThe', 2, 3)).toBe('- one leaf\n- two leaves\n\nThe end.')
})

test('nothing is chosen when display and source do not fit together', () => {
  expect(sourceOf('Tea', 0, 0, TEXT, 5)).toBeNull()
  expect(sourceOf('The end.', 3, 3, TEXT.replaceAll('\n', '\r\n'))).toBeNull()
})
