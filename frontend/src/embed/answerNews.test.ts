import { expect, test } from 'vitest'
import type { ChatMessage, ChatPart } from '../api/messageTypes'
import { endOf, newsOf } from './answerNews'

const answer = (...parts: ChatPart[]): ChatMessage => ({ id: 'answer', role: 'assistant', parts })
const tool = { type: 'dynamic-tool', toolCallId: 'call', toolName: 'look', input: {} } as const
const openCall: ChatPart = { ...tool, state: 'input-available' }
const finishedCall: ChatPart = { ...tool, state: 'output-available', output: 1 }
const failedCall: ChatPart = { ...tool, state: 'output-error', errorText: 'No.' }
const notice = (code: string, level: 'info' | 'warning' | 'error'): ChatPart => ({ type: 'data-notice', data: { code, level, text: '', action: null } })
const call = { id: 'call', name: 'look' }

test('a call and its result are told once each, in their order', () => {
  const toldStates = new Map<string, string>()
  expect(newsOf(answer({ ...tool, state: 'input-streaming' }), toldStates)).toEqual([])
  expect(newsOf(answer(openCall), toldStates)).toEqual([['tool-call', call]])
  expect(newsOf(answer(finishedCall), toldStates)).toEqual([['tool-result', { ...call, ok: true }]])
  expect(newsOf(answer(finishedCall), toldStates)).toEqual([])
})

test('a result that comes with its call does not hide the call', () => {
  expect(newsOf(answer(failedCall), new Map())).toEqual([['tool-call', call], ['tool-result', { ...call, ok: false }]])
})

test('a data part is told again when it changes', () => {
  const toldStates = new Map<string, string>()
  const plan = (title: string): ChatPart => ({ type: 'data-plan', data: { title, steps: [] } })
  for (const title of ['First', 'Second', 'First']) {
    expect(newsOf(answer(plan(title)), toldStates)).toEqual([['data-part', { type: 'data-plan', data: { title, steps: [] } }]])
    expect(newsOf(answer(plan(title)), toldStates)).toEqual([])
  }
})

test('an answer ends by itself, by Stop, by the end of access, by an error, or with a broken stream', () => {
  expect(endOf(answer(), false)).toBe('complete')
  expect(endOf(answer(notice('length_limit', 'warning')), false)).toBe('complete')
  expect(endOf(answer(notice('stopped', 'info')), false)).toBe('stopped')
  expect(endOf(answer(notice('access_ended', 'warning')), false)).toBe('stopped')
  expect(endOf(answer(notice('time_limit', 'error')), false)).toBe('failed')
  expect(endOf(answer(), true)).toBe('failed')
})
