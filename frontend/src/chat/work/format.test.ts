import { expect, test } from 'vitest'
import { displayName, inputSummary, measuredMs, resultMs } from './format'

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

test('a call has a time whether it worked or failed', () => {
  const call = { type: 'dynamic-tool', toolName: 't', toolCallId: 'c', input: {} } as const
  const resultProviderMetadata = { parley: { durationMs: 12 } }
  expect(resultMs({ ...call, state: 'output-available', output: 1, resultProviderMetadata })).toBe(12)
  expect(resultMs({ ...call, state: 'output-error', errorText: 'No.', resultProviderMetadata })).toBe(12)
  expect(resultMs({ ...call, state: 'input-available' })).toBeUndefined()
})
