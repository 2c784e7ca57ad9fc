import { expect, test } from 'vitest'
import type { SearchHit } from '../api/generated'
import { firstDay } from './filters'
import { aroundHit, resultGroups, rowsOf, shortDate } from './results'

const NOW = new Date(2026, 4, 20, 9, 0).getTime()
const hit = (messageId: string | null, artifactId: string | null = null): SearchHit => ({ conversationId: 'c', title: [], archived: false, projectId: null, messageId, role: null, artifactId, kind: null, version: null, snippet: [], at: '2026-05-20T08:00:00Z' })

test('titles come before messages and documents, and a new chat is offered last', () => {
  const groups = resultGroups({ items: [hit(null), hit('m'), hit(null, 'd')], nextCursor: null, similar: [] }, 'tea')
  expect(groups.map(({ label }) => label)).toEqual(['Titles', 'In messages and documents', 'Or'])
  expect(rowsOf(groups).map(({ id }) => id)).toEqual(['search-c', 'search-m', 'search-d', 'search-new'])
})

test('without words there is nothing to begin a chat with', () => {
  expect(resultGroups({ items: [hit(null)], nextCursor: null, similar: [] }, '').map(({ label }) => label)).toEqual(['Recent'])
})

test.each([
  [new Date(2026, 4, 20, 1), 'Today'],
  [new Date(2026, 4, 19, 23), 'Yesterday'],
  [new Date(2026, 4, 3), '3 May'],
  [new Date(2025, 10, 3), '3 Nov 2025'],
])('%s is %s', (date, label) => {
  expect(shortDate(date.toISOString(), NOW)).toBe(label)
})

test.each([
  ['Plan the **trip** to Lisbon in the autumn', 24, 'Plan the **trip** to Lisbon in the autumn'],
  ['What we still have to do before the long **trip** to Lisbon', 24, '… long **trip** to Lisbon'],
  ['What we still have to do before the long **trip** to Lisbon', 60, 'What we still have to do before the long **trip** to Lisbon'],
  ['旅行前にまだやらなければならないことの一覧です**東京**', 24, '… いことの一覧です**東京**'],
  ['Plan the trip to Lisbon in the autumn', 24, 'Plan the trip to Lisbon in the autumn'],
])('of the title %s, in a line of %i characters, stays what is around the found word', (title, room, shown) => {
  const segments = title.split('**').map((text, index) => ({ text, hit: index % 2 === 1 }))
  expect(aroundHit(segments, room).map(({ text, hit }) => (hit ? `**${text}**` : text)).join('')).toBe(shown)
})

test('a period begins on a day', () => {
  expect(firstDay(7, Date.parse('2026-05-20T09:00:00Z'))).toBe('2026-05-13')
  expect(firstDay(null, NOW)).toBeNull()
})
