import { expect, test } from 'vitest'
import { changesBetween, rebase } from './rebase'

test.each([
  ['both ends', 'middle', 'top middle', 'middle end', 'top middle end'],
  ['the same place', 'a c', 'a b c', 'a d c', 'a b d c'],
  ['only the other side', 'a', 'b', 'a', 'b'],
  ['only here', 'a', 'a', 'b', 'b'],
  ['lines', 'one\ntwo\nthree\n', 'one\n2\nthree\n', 'one\ntwo\nthree\nfour\n', 'one\n2\nthree\nfour\n'],
])('changes of %s', (_, base, serverText, ownText, both) => {
  expect([...rebase(base, serverText, ownText)].toSorted()).toEqual([...both].toSorted())
})

test('the changes turn one text into the other', () => {
  const before = 'The 🍵 is hot.\nDrink it.\n'
  const after = 'The tea is 🔥.\n\nDrink it.'
  const view = changesBetween(before, after)
  expect(view.length).toBe(before.length)
  expect(view.newLength).toBe(after.length)
})
