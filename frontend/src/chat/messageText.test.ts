import { expect, test } from 'vitest'
import type { ChatMessage, ChatPart } from '../api/messageTypes'
import { messageToolText, textOf } from './messageText'

const spoken = (input: unknown, state = 'output-available', toolName = 'message') =>
  messageToolText({ type: 'dynamic-tool', toolName, toolCallId: 'c', state, input, output: null } as ChatPart)

test('what an agent says by its message tool is text; progress has a line of its own', () => {
  expect(spoken({ type: 'result', text: '**Done.**' })).toBe('**Done.**')
  expect(spoken({ type: 'question', text: 'Which one?' }, 'input-available')).toBe('Which one?')
  expect(spoken({ type: 'progress', text: 'Reading' })).toBe('')
  expect(spoken({ type: 'result' })).toBe('')
  expect(spoken(undefined, 'input-streaming')).toBe('')
})

test('a failed message call, and any other tool, is shown as a tool', () => {
  expect(spoken({ type: 'result', text: 'x' }, 'output-error')).toBeUndefined()
  expect(spoken({ type: 'result', text: 'x' }, 'output-available', 'document_agent')).toBeUndefined()
})

test('the text of a message is its text parts', () => {
  const message: ChatMessage = {
    id: 'm',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'One.' },
      { type: 'text', text: '' },
      { type: 'text', text: 'Two.' },
    ],
  }
  expect(textOf(message)).toBe('One.\n\nTwo.')
})
