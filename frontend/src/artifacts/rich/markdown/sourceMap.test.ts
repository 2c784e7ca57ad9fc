import type { Node } from 'prosemirror-model'
import { EditorState } from 'prosemirror-state'
import { expect, test } from 'vitest'
import { replaceDifference } from './difference'
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

test('after a change the map is the one of the changed text', () => {
  const second = TEXT.indexOf('Drink')
  const changes: readonly (readonly [string, Node])[] = ['Hot. ', 'New.\n\n', '---\n\n', '- x\n\n', null].map((added) => {
    const text = added ? TEXT.slice(0, second) + added + TEXT.slice(second) : `# Green ${TEXT.slice(2)}`
    return [text, replaceDifference(EditorState.create({ doc }), openDocument(text).doc)!.doc]
  })
  for (const [text, changed] of [...changes, [`${TEXT}\nEnd.\n`, openDocument(`${TEXT}\nEnd.\n`).doc] as const]) {
    sourceMap(TEXT, doc)
    const [updatedMap, freshMap] = [sourceMap(text, changed)!, sourceMap(text, openDocument(text).doc)!]
    for (let offset = 0; offset <= text.length; offset++) expect(updatedMap.toDocument(offset)).toBe(freshMap.toDocument(offset))
    for (let position = 1; position < changed.content.size; position++) expect(updatedMap.toSource(position)).toBe(freshMap.toSource(position))
  }
})
