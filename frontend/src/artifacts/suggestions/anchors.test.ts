import { expect, test } from 'vitest'
import type { SuggestionItem } from '../../api/generated'
import { anchorSuggestions, anchorSuggestion } from './anchors'

const suggest = (original: string, change: Partial<SuggestionItem> = {}): SuggestionItem => ({
  ...{ id: original, artifactId: 'a', version: 1, original, prefix: '', suffix: '', start: 0, replacement: 'x', comment: '', status: 'open' },
  ...change,
})
const TEXT = 'Tea is hot. Tea is good. Tea is green.'

test.each([
  ['its quote alone', 'good', {}, 19],
  ['what stands before it', 'Tea', { prefix: 'good. ' }, 25],
  ['what stands behind it', 'Tea', { suffix: ' is good' }, 12],
  ['where it stood, when all else is equal', 'Tea', { start: 14 }, 12],
  ['its surroundings rather than where it stood', 'Tea', { start: 25, prefix: 'hot. ', suffix: ' is good' }, 12],
])('a suggestion is found by %s', (_, original, change, from) => {
  expect(anchorSuggestion(TEXT, suggest(original, change))?.from).toBe(from)
})

test('a quote that is gone, or a stale suggestion, has no place', () => {
  expect(anchorSuggestion(TEXT, suggest('coffee'))).toBeNull()
  expect(anchorSuggestion(TEXT, suggest('Tea', { status: 'stale' }))).toBeNull()
})

test('suggestions stand in the order of the text and never overlap', () => {
  const places = anchorSuggestions(TEXT, [suggest('green'), suggest('is hot'), suggest('hot. Tea')])
  expect(places.map(({ suggestion }) => suggestion.id)).toEqual(['is hot', 'green'])
})
