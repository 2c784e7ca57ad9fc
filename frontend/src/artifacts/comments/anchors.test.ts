import { expect, test } from 'vitest'
import { openDocument } from '../rich/markdown/richDocument'
import { anchorOf, findPassage, shownText } from './anchors'

const TEXT = '# Tea\n\nDrink it **hot**, then hot again.\n\n- one leaf\n- two leaves\n'
const read = (text: string) => openDocument(text).doc
/** The passage that has these words in `TEXT`, and its words in another text. */
const passageText = (words: string, text: string, turn = 0) => {
  const doc = read(TEXT)
  const { text: docText, places } = shownText(doc)
  let at = docText.indexOf(words)
  for (let left = turn; left > 0; left--) at = docText.indexOf(words, at + 1)
  const anchor = anchorOf(doc, { from: places[at]!, to: places[at + words.length - 1]! + 1 })!
  const other = read(text)
  const passage = findPassage(shownText(other), anchor)
  return passage && other.textBetween(passage.from, passage.to, '\n')
}

test('markup is no part of a passage', () => {
  expect(passageText('it hot, then', TEXT)).toBe('it hot, then')
  expect(passageText('one leaf\ntwo', TEXT)).toBe('one leaf\ntwo')
})

test('of two equal passages the right one is found, also after a change', () => {
  const doc = read(TEXT)
  const { text, places } = shownText(doc)
  const second = text.lastIndexOf('hot')
  const anchor = anchorOf(doc, { from: places[second]!, to: places[second]! + 3 })!
  const changed = shownText(read(`New.\n\n${TEXT}`))
  expect(findPassage(changed, anchor)?.from).toBe(changed.places[changed.text.lastIndexOf('hot')])
})

test('a passage that was written anew is found between its neighbours; one that is gone is not', () => {
  expect(passageText('then', TEXT.replace('then', 'and'))).toBe('and')
  expect(passageText('one leaf', '# Tea\n')).toBeNull()
})

test('blanks around a selection are left out, and blanks alone are no passage', () => {
  const doc = read('Tea is hot.\n')
  expect(anchorOf(doc, { from: 4, to: 8 })).toEqual({ quote: 'is', prefix: 'Tea ', suffix: ' hot.', start: 4 })
  expect(anchorOf(doc, { from: 4, to: 5 })).toBeNull()
  expect(anchorOf(doc, { from: 2, to: 2 })).toBeNull()
})
