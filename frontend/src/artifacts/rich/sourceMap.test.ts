import { expect, test } from 'vitest'
import { openDocument } from './richDocument'
import { sourceMap } from './sourceMap'

const TEXT = '# Tea\n\nDrink it **hot**, from a [cup](https://example.org/hot).\n\n1. one leaf\n2. two *leaves*\n\n| Kind | Minutes |\n|------|--------:|\n| Green | 2 |\n| Black | 4 |\n\n```python\nprint("tea")\n```\n'
const doc = openDocument(TEXT).doc
const map = sourceMap(TEXT, doc)!

test.each(['Tea', 'Drink', 'hot**, from', 'cup', 'one leaf', 'two', 'leaves', 'Green', 'Black', 'print', '4 |'])('the place of %s is found both ways', (words) => {
  const offset = TEXT.indexOf(words)
  const position = map.toDocument(offset)!
  const [letter] = words
  expect(doc.textBetween(position, position + 1)).toBe(letter)
  const after = map.toDocument(offset + 1)!
  expect(after).toBe(position + 1)
  expect(map.toSource(after)).toBe(offset + 1)
})

test('the end of a block is its end', () => {
  const end = map.toDocument(TEXT.indexOf('\n\nDrink'))!
  expect(doc.resolve(end).parent.textContent).toBe('Tea')
  expect(doc.resolve(end).parentOffset).toBe(3)
  expect(map.toDocument(TEXT.length)).toBeLessThanOrEqual(doc.content.size)
})

test('a text that is not the document has no map', () => {
  expect(sourceMap('One.\n', doc)).toBeNull()
})

test('every place of the text is a place for a cursor', () => {
  for (let offset = 0; offset <= TEXT.length; offset++) expect(doc.resolve(map.toDocument(offset)!).parent.isTextblock).toBe(true)
})
