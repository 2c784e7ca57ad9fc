import { expect, test } from 'vitest'
import type { FileItem } from '../api/generated'
import { fileIdOf, fileIdsOf, fileNameOf, toFilePart, formatSize } from './fileParts'

const item = { id: '0d5c', name: 'tea.pdf', mediaType: 'application/pdf', kind: 'pdf', sizeBytes: 9, state: 'ready', reason: '', url: '/x', downloadUrl: '/x' } satisfies FileItem

test('a file travels as a part that names it, and is found again in it', () => {
  const part = toFilePart(item)
  expect(part).toEqual({ type: 'file', mediaType: 'application/pdf', filename: 'tea.pdf', url: 'parley-file:0d5c' })
  expect(fileIdOf(part)).toBe('0d5c')
  expect(fileIdsOf({ parts: [{ type: 'text' }, part] })).toEqual(['0d5c'])
})

test('a file that a model made has its name in the metadata', () => {
  const part = { type: 'file', mediaType: 'image/png', url: 'parley-file:1', providerMetadata: { parley: { filename: 'image.png' } } } as const
  expect(fileNameOf(part)).toBe('image.png')
  expect(fileNameOf(toFilePart(item))).toBe('tea.pdf')
  expect(fileNameOf({ type: 'file', mediaType: 'image/png', url: 'x' })).toBe('File')
})

test('an address of somewhere else is no file of ours', () => {
  expect(fileIdOf({ type: 'file', mediaType: 'image/png', url: 'https://example.org/a.png' })).toBeUndefined()
})

test.each([
  [840, '840 B'],
  [12_300, '12 KB'],
  [4_400_000, '4.2 MB'],
])('%i bytes read as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})
