import { expect, test } from 'vitest'
import type { ChatMessage, ChatPart } from '../api/messageTypes'
import { messageToolText, textOf } from './messageText'

const toolText = (input: unknown, state = 'output-available', toolName = 'message') =>
  messageToolText({ type: 'dynamic-tool', toolName, toolCallId: 'c', state, input, output: null } as ChatPart)

test('what an agent says by its message tool is text; progress has a line of its own', () => {
  expect(toolText({ type: 'result', text: '**Done.**' })).toBe('**Done.**')
  expect(toolText({ type: 'question', text: 'Which one?' }, 'input-available')).toBe('Which one?')
  expect(toolText({ type: 'progress', text: 'Reading' })).toBe('')
  expect(toolText({ type: 'result' })).toBe('')
  expect(toolText(undefined, 'input-streaming')).toBe('')
})

test('a failed message call, and any other tool, is shown as a tool', () => {
  expect(toolText({ type: 'result', text: 'x' }, 'output-error')).toBeUndefined()
  expect(toolText({ type: 'result', text: 'x' }, 'output-available', 'document_agent')).toBeUndefined()
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
