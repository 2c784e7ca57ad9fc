import type { DynamicToolUIPart } from 'ai'
import { expect, test } from 'vitest'
import { toolState, type ToolState } from './toolState'

const LIVE = { live: true, waiting: null } as const
const WAITS = { live: false, waiting: 'approval' } as const
const OVER = { live: false, waiting: null } as const

const part = (state: string, approved?: boolean) => ({ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', input: {}, state, approval: { id: 'a', approved } }) as unknown as DynamicToolUIPart

test.each<[string, boolean | undefined, ToolState, ToolState, ToolState]>([
  // state, decision: in a live answer, in one that waits, in one that is over
  ['input-available', undefined, 'running', 'waits', 'stopped'],
  ['approval-requested', undefined, 'asks', 'asks', 'stopped'],
  ['approval-responded', true, 'running', 'allowed', 'stopped'],
  ['approval-responded', false, 'denied', 'denied', 'denied'],
  ['output-denied', false, 'denied', 'denied', 'denied'],
  ['output-available', true, 'done', 'done', 'done'],
  ['output-error', undefined, 'failed', 'failed', 'failed'],
])('%s, approved: %s', (state, approved, live, waits, over) => {
  expect([LIVE, WAITS, OVER].map((answer) => toolState(part(state, approved), answer))).toEqual([live, waits, over])
})

test('a call that the page around the chat carries out waits for the page', () => {
  const answer = { live: false, waiting: 'client' } as const
  expect(['input-available', 'input-streaming'].map((state) => toolState(part(state), answer))).toEqual(['page', 'waits'])
})
