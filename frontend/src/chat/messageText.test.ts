import { expect, test } from 'vitest'
import { duration, inputSummary, measuredMs, displayName, answerDetails, messageToolText, textOf } from './messageText'
import type { ChatMessage, ChatPart } from '../api/messageTypes'

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

test.each([
  [840.4, '840 ms'],
  [4210, '4.2 s'],
  [65_000, '1 min 5 s'],
])('%d ms', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('the small print says only what is known', () => {
  expect(answerDetails(undefined)).toBe('')
  expect(answerDetails({ modelName: 'Demo Large' })).toBe('Demo Large')
  expect(answerDetails({ modelName: 'G', usage: { inputTokens: 1200, outputTokens: 30, thinkingTokens: 12 }, durationMs: 1500 })).toBe(
    'G · 1,200 tokens in, 42 out · 1.5 s',
  )
})

test('a tool is named in words', () => {
  expect(displayName('document_agent')).toBe('Document agent')
  expect(displayName('git_mcp_agent')).toBe('GitHub agent')
})

test('the gist of a call is its title, else its first text', () => {
  expect(inputSummary({ operation: 'create', title: 'Plan' })).toBe('Plan')
  expect(inputSummary({ n: 1, city: 'Ulm' })).toBe('Ulm')
  expect(inputSummary(null)).toBe('')
})

test('a measured time must be a number', () => {
  expect(measuredMs({ parley: { durationMs: 12 } })).toBe(12)
  expect(measuredMs({ parley: { durationMs: '12' } })).toBeUndefined()
  expect(measuredMs(undefined)).toBeUndefined()
})
