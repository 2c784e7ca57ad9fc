import { expect, test } from 'vitest'
import type { ChatMessage } from '../../api/messageTypes'
import { fold, nearest, occurrences } from './occurrences'

const message = (id: string, text: string): ChatMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const MESSAGES = [message('a', 'Tea and **tea**'), message('b', 'No leaves'), message('c', 'A [Teapot](https://tea.example/tea)')]

test('each place counts, without case and markup', () => {
  expect(occurrences(MESSAGES, 'tea')).toEqual([
    { messageId: 'a', number: 0 },
    { messageId: 'a', number: 1 },
    { messageId: 'c', number: 0 },
  ])
  expect(occurrences(MESSAGES, 'and tea')).toHaveLength(1)
  expect(occurrences(MESSAGES, '')).toEqual([])
})

test('folding keeps the places', () => {
  expect(fold('A\nB\tİ')).toHaveLength(5)
})

test('the search begins where the reader is', () => {
  const matches = occurrences(MESSAGES, 'tea')
  expect(nearest(matches, MESSAGES, 1)).toEqual({ messageId: 'c', number: 0 })
  expect(nearest(matches.slice(0, 2), MESSAGES, 1)).toEqual({ messageId: 'a', number: 1 })
  expect(nearest([], MESSAGES, 0)).toBeUndefined()
})
