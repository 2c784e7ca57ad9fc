import { expect, test } from 'vitest'
import { pagesOf, typeLabel } from './previewText'

test('a text is split where its pages begin', () => {
  expect(pagesOf('one\n\n\ftwo\n\f\nthree')).toEqual(['one', 'two', 'three'])
  expect(pagesOf('all of it')).toEqual(['all of it'])
})

test.each([
  ['pdf', 'tea.pdf', 'PDF, as text'],
  ['office', 'tea.XLSX', 'Excel sheet, as text'],
  ['text', 'tea.py', 'PY'],
  ['text', 'README', 'Text'],
  ['image', 'tea.png', 'Picture'],
] as const)('a %s named %s is called %s', (kind, name, label) => {
  expect(typeLabel({ kind, name })).toBe(label)
})
