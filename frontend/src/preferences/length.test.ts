import { expect, test } from 'vitest'
import { countCharacters } from './length'

test('characters are counted as the server counts them', () => {
  expect(countCharacters('Tee 🍵')).toBe(5)
})
