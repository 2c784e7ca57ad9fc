import { expect, test } from 'vitest'
import { gapAfterJoin, joinEarlier, joinHistory } from './history'

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

test('an earlier page that does not reach the newest messages leaves a gap', () => {
  expect(joinEarlier(messages('ab'), messages('xy'))).toEqual({ messages: messages('abxy'), gapBefore: 'x' })
})

test('a page that reaches them closes it', () => {
  expect(joinEarlier(messages('wxy'), messages('xyz'))).toEqual({ messages: messages('wxyz'), gapBefore: '' })
})

test.each([
  ['wx', 'abwx', ''],
  ['xy', 'abxy', 'x'],
  ['yz', 'abxyz', 'x'],
  ['yz', 'yz', ''], // what was before it was let go
  ['xy', 'xy', ''],
])('the gap before x after the newest page %s is joined to %s', (newest, joined, expected) => {
  expect(gapAfterJoin('x', messages(newest), messages(joined))).toBe(expected)
})
