import { expect, test } from 'vitest'
import { characters } from './length'

test('characters are counted as the server counts them', () => {
  expect(characters('Tee 🍵')).toBe(5)
})
