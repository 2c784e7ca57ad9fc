import { expect, test } from 'vitest'
import type { ChatMessage, ChatPart } from '../../api/messageTypes'
import { steadyMessage } from './steadyMessage'

const answer = (...parts: ChatPart[]): ChatMessage => ({ id: 'a1', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] })
const text = (content: string): ChatPart => ({ type: 'text', text: content })
const thought = (content: string): ChatPart => ({ type: 'reasoning', text: content })
const call: ChatPart = { type: 'dynamic-tool', toolName: 't', toolCallId: 'c', state: 'input-available', input: {} }

const LONG = answer(text('One two three'))
const SHORT = answer(text('One'))

test('text stays until what comes again is as long', () => {
  for (const now of [answer(), SHORT, answer(thought('A thought.'), text('One'))]) expect(steadyMessage(LONG, now, true)).toBe(LONG)
  const other = answer(text('Eins zwei drei'))
  expect(steadyMessage(LONG, other, true)).toBe(other)
})

test('the end of the answer and a tool call are shown at once', () => {
  expect(steadyMessage(LONG, SHORT, false)).toBe(SHORT)
  const asks = answer(call)
  expect(steadyMessage(LONG, asks, true)).toBe(asks)
})

test('where nothing but thoughts is shown, any text replaces them', () => {
  const thinking = answer(thought('A long thought.'))
  expect(steadyMessage(thinking, answer(thought('A')), true)).toBe(thinking)
  expect(steadyMessage(thinking, SHORT, true)).toBe(SHORT)
})

test('another message is shown as it is', () => {
  expect(steadyMessage({ ...LONG, id: 'a0' }, SHORT, true)).toBe(SHORT)
  expect(steadyMessage({ ...LONG, role: 'user' }, SHORT, true)).toBe(SHORT)
  expect(steadyMessage(undefined, SHORT, true)).toBe(SHORT)
})
