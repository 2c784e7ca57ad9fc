import { expect, test } from 'vitest'
import { characters } from './preferencesText'

test('characters are counted as the server counts them', () => {
  expect(characters('Tee 🍵')).toBe(5)
})
