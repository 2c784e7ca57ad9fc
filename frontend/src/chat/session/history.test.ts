import { expect, test } from 'vitest'
import { joinHistory } from './history'

const messages = (letters: string) => [...letters].map((id) => ({ id }))
const join = (current: string, newest: string) => {
  const { messages: joined, hasOlder } = joinHistory(messages(current), messages(newest))
  return [joined.map((message) => message.id).join(''), hasOlder]
}

test.each([
  ['', 'abc', ['abc', false]],
  ['abc', 'abcd', ['abcd', false]],
  ['abcd', 'cde', ['abcde', true]],
  ['ab', 'xy', ['xy', false]],
  ['ab', '', ['', false]],
])('%s with the newest page %s', (current, newest, expected) => {
  expect(join(current, newest)).toEqual(expected)
})
