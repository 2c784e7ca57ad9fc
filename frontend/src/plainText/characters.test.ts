import { expect, test } from 'vitest'
import { countCharacters } from './characters'

test('characters are counted as the server counts them', () => {
  expect(countCharacters('Tee 🍵')).toBe(5)
})
