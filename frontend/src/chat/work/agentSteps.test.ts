import { expect, test } from 'vitest'
import type { AgentStep, ChatPart } from '../../api/messageTypes'
import { hasApprovalRequest, generatedFiles, latestStepSummary, stepsOf } from './agentSteps'

const step = (callId: string, fields: Omit<AgentStep, 'callId' | 'agent'>): ChatPart => ({ type: 'data-agent-step', data: { callId, agent: 'helper_google', ...fields } })
const call = (toolCallId: string, toolName: string) => ({ type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input: { task: 'Look' } }) as ChatPart
const text = (content: string) => ({ type: 'text', text: content, state: 'done' }) as ChatPart
const asking = { toolCallId: 'n1', state: 'approval-requested', approval: { id: 'a' } }

test('a call has the steps that were made for it, with what changed since', () => {
  const parts = [call('c1', 'helper'), step('c1', { part: call('n1', 'look_up') }), step('c2', { part: text('other') }), step('c1', { change: { toolCallId: 'n1', state: 'output-available', output: 'ok' } }), step('c1', { part: text('Done.') })]
  expect(stepsOf(parts, 'c1')).toMatchObject([{ toolName: 'look_up', state: 'output-available', output: 'ok' }, { text: 'Done.' }])
  expect(stepsOf(parts, 'c3')).toEqual([])
  expect([latestStepSummary(stepsOf(parts.slice(0, 2), 'c1')), latestStepSummary(stepsOf(parts, 'c1')), latestStepSummary([])]).toEqual(['Look up: Look', 'Done.', ''])
})

test('steps nest, and what asks is found however deep it is', () => {
  const parts = [step('c1', { part: call('i1', 'inner') }), step('c1', { part: step('i1', { part: call('n1', 'delete') }) }), step('c1', { part: step('i1', { change: asking }) })]
  const steps = stepsOf(parts, 'c1')
  expect(stepsOf(steps, 'i1')).toMatchObject([{ toolName: 'delete', state: 'approval-requested' }])
  expect(hasApprovalRequest(steps)).toBe(true)
  expect(hasApprovalRequest(stepsOf([...parts, step('c1', { part: step('i1', { change: { toolCallId: 'n1', state: 'output-denied' } }) })], 'c1'))).toBe(false)
})

test('files are found however deep they were made, in their order', () => {
  const file = (url: string) => ({ type: 'file', mediaType: 'image/png', url }) as ChatPart
  const parts = [step('c1', { part: call('i1', 'inner') }), step('c1', { part: file('b') }), step('c1', { part: step('i1', { part: file('a') }) }), step('c2', { part: file('other') }), file('own')]
  expect(generatedFiles(stepsOf(parts, 'c1')).map((part) => part.url)).toEqual(['a', 'b'])
})

test('a change of a call that is not there changes nothing', () => {
  expect(stepsOf([step('c1', { change: asking })], 'c1')).toEqual([])
})

test('a data part with an id takes the place of the one before it', () => {
  const plan = (title: string) => ({ type: 'data-plan', id: 'plan', data: { title, steps: [] } }) as ChatPart
  expect(stepsOf([step('c1', { part: plan('Old') }), step('c1', { part: plan('New') })], 'c1')).toEqual([plan('New')])
})
