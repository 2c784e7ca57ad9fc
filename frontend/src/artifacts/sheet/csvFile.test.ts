import { expect, test } from 'vitest'
import { readCsvFile } from './csvFile'

const read = (...bytes: number[]) => readCsvFile(new Blob([new Uint8Array(bytes)]))
const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0))

test.each([
  ['UTF-8', [...new TextEncoder().encode('Tee;5 €')]],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, ...new TextEncoder().encode('Tee;5 €')]],
  ['Windows-1252', [...ascii('Tee;5 '), 0x80]],
  ['UTF-16, as Windows writes it', [0xff, 0xfe, ...ascii('Tee;5 ').flatMap((code) => [code, 0]), 0xac, 0x20]],
  ['UTF-16 the other way round', [0xfe, 0xff, ...ascii('Tee;5 ').flatMap((code) => [0, code]), 0x20, 0xac]],
])('a file in %s is read', async (_, bytes) => {
  expect(await read(...bytes)).toBe('Tee;5 €')
})

test.each([
  ['has control characters', [...ascii('a'), 0, ...ascii('b')]],
  ['has a byte that Windows-1252 lacks', [...ascii('Tea '), 0x81]],
  ['is Cyrillic in an encoding of its own', [0xd7, 0xe0, 0xe9, 0x20, 0xe8]],
  ['has half a letter of UTF-16', [0xff, 0xfe, 0x00, 0xd8]],
])('a file that %s is refused', async (_, bytes) => {
  expect(await read(...bytes)).toBeUndefined()
})
