import { expect, test } from 'vitest'
import { shownPlaces } from './shownPlaces'

const TEXT = '# Tea\n\nDrink it **hot**, then hot again, from a [cup](https://example.org/).\n\n- one leaf\n- two leaves\n'
const SHOWN = ['Tea', 'Drink it hot, then hot again, from a cup.', 'one leaf\ntwo leaves']

/** What the reader sees marked for a piece of the source: its words, or null for a whole block. */
const marked = (piece: string, text = TEXT, blockTexts = SHOWN) => {
  const from = text.indexOf(piece)
  return shownPlaces(text, { from, to: from + piece.length }, blockTexts).map(({ block, part }) => part && blockTexts[block]?.slice(part.start, part.end))
}

test('markup is passed over', () => {
  expect(marked('it **hot**, then')).toEqual(['it hot, then'])
  expect(marked('two leaves')).toEqual(['two leaves'])
})

test('the occurrence that the source means is marked', () => {
  const from = TEXT.indexOf('hot again')
  const [place] = shownPlaces(TEXT, { from, to: from + 3 }, SHOWN)
  expect(place?.part?.start).toBe(SHOWN[1]?.indexOf('hot again'))
})

test('a whole block, and what cannot be found in one, mark all of it', () => {
  expect(marked('# Tea')).toEqual([null])
  expect(marked('[cup](https://example.org/)')).toEqual([null])
})

test('several blocks are each marked', () => {
  expect(marked('again, from a [cup](https://example.org/).\n\n- one leaf').length).toBe(2)
})

test('nothing is marked when display and source do not fit together', () => {
  expect(marked('hot', TEXT, ['Tea'])).toEqual([])
})
