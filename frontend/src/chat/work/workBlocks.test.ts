import type { DynamicToolUIPart } from 'ai'
import { expect, test } from 'vitest'
import type { ChatPart } from '../../api/messageTypes'
import { callLabel } from './toolLabels'
import { blocksOf, contextNotices } from './workBlocks'
import { countsOf, workTitle } from './workSummary'

const call = (toolName: string, fields: object = {}) =>
  ({ type: 'dynamic-tool', toolName, toolCallId: `${toolName}-${JSON.stringify(fields)}`, state: 'output-available', input: {}, output: null, ...fields }) as DynamicToolUIPart
const text = (words: string): ChatPart => ({ type: 'text', text: words })
const thought: ChatPart = { type: 'reasoning', text: 'Hm.' }
const notice = (code: string): ChatPart => ({ type: 'data-notice', data: { code, level: 'info', text: 'Told.', action: null } })
const artifact = (callId: string): ChatPart => ({ type: 'data-artifact', id: 'a', data: { id: 'a', title: 'Tea', kind: 'text', status: 'ready', version: 2, operation: 'update', callId } as never })

const kinds = (parts: ChatPart[], open = true) => blocksOf(parts, open).map((block) => (block.kind === 'work' ? block.items.map((item) => item.type) : block.kind))

test('calls that follow each other are one card, with the thoughts between them', () => {
  expect(kinds([thought, call('web_search'), thought, { type: 'step-start' }, call('fetch_url'), text('It is green.'), call('web_search')])).toEqual([
    'part',
    ['dynamic-tool', 'reasoning', 'dynamic-tool'],
    'part',
    ['dynamic-tool'],
  ])
})

test('a document is one card with all the calls that wrote it', () => {
  const first = call('document_agent', { toolCallId: 'c1', output: { id: 'a', version: 1 } })
  const second = call('document_agent', { toolCallId: 'c2', output: { id: 'a', version: 2 } })
  const [block, ...others] = blocksOf([first, artifact('c2'), second], false)
  expect(others).toEqual([])
  expect(block).toMatchObject({ kind: 'document', calls: [{ toolCallId: 'c1' }, { toolCallId: 'c2' }] })
})

test('a call that failed, was refused or asks is not hidden in the card of a document', () => {
  const failed = call('document_agent', { toolCallId: 'c1', state: 'output-error', errorText: 'No.' })
  const asking = call('document_agent', { toolCallId: 'c2', state: 'approval-requested', approval: { id: 'x' } })
  expect(kinds([failed, asking, artifact('c1')])).toEqual([['dynamic-tool'], 'part', 'document'])
  expect(kinds([asking], false)).toEqual([['dynamic-tool']])
})

test('what the model was told stands under Details', () => {
  const parts = [notice('told_artifacts'), notice('stopped'), notice('compacted_history')]
  expect(kinds(parts)).toEqual(['part'])
  expect(contextNotices(parts).map(({ code }) => code)).toEqual(['told_artifacts', 'compacted_history'])
})

test('work is named in plain words', () => {
  expect(callLabel(call('web_search'), 'done')).toBe('Searched the web')
  expect(callLabel(call('mermaid_agent'), 'open')).toBe('Writing a diagram')
  expect(callLabel(call('document_agent', { input: { operation: 'update' } }), 'failed')).toBe('Couldn’t change the document')
  expect(callLabel(call('look_up_order'), 'done')).toBe('Look up order')
  const looking = [call('web_search'), call('web_search', { input: 1 }), call('fetch_url')]
  expect([workTitle(looking, true), countsOf(looking)]).toEqual(['Searched the web', '2 searches, 1 page'])
  expect([workTitle([...looking, call('python_agent')], true), countsOf([call('python_agent')])]).toEqual(['Worked', '1 step'])
  expect([workTitle([call('python_agent')], false), workTitle([call('python_agent')], true)]).toEqual(['Writing a program', 'Wrote a program'])
})
