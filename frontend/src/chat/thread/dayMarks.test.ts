import { expect, test } from 'vitest'
import type { ChatMessage } from '../../api/messageTypes'
import { dayMarks } from './dayMarks'

const NOW = new Date(2026, 10, 20).getTime()
const message = (id: string, date?: Date): ChatMessage => ({ id, role: 'user', parts: [], metadata: date ? { createdAt: date.toISOString() } : {} })

test('each day is named once, at its first message', () => {
  const messages = [message('a', new Date(2025, 11, 31, 23)), message('b', new Date(2026, 10, 17, 8)), message('c', new Date(2026, 10, 17, 22)), message('d')]
  expect([...dayMarks(messages, NOW)]).toEqual([
    ['a', 'Wednesday, 31 December 2025'],
    ['b', 'Tuesday 17 November'],
  ])
})

test('a conversation of one day has no marks', () => {
  expect(dayMarks([message('a', new Date(NOW)), message('b', new Date(NOW))], NOW).size).toBe(0)
})
