import type { DynamicToolUIPart } from 'ai'
import { expect, test } from 'vitest'
import { providerTitle, providerCallSummary, providerCallOf, type ProviderCall } from './providerCall'

const part = (input: unknown, output: unknown = null) => ({ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', providerExecuted: true, state: 'output-available', input, output }) as DynamicToolUIPart
const failed = (input: unknown, errorText: string) => ({ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', providerExecuted: true, state: 'output-error', input, errorText }) as DynamicToolUIPart

const PAGE = 'https://www.tea.example/a'

// Gemini's, OpenAI's and Anthropic's shapes.
test.each<[string, DynamicToolUIPart, Partial<ProviderCall>, string]>([
  ['queries', part({ queries: ['tea', 'coffee', 'tea'] }), { queries: ['tea', 'coffee'] }, 'tea · coffee'],
  ['one query, with what it found', part({ query: 'tea' }, [PAGE]), { queries: ['tea'], pages: [{ url: PAGE, status: '' }] }, 'tea'],
  ['a page that was asked for', part({ url: PAGE }), { pages: [{ url: PAGE }] }, 'tea.example'],
  ['pages with their status', part({ urls: [PAGE] }, { pages: [{ url: PAGE, status: 'paywall' }] }), { pages: [{ url: PAGE, status: 'paywall' }] }, 'tea.example'],
  ['code', part({ language: 'python', code: '\na = 1\nb' }, { output: '1\n', outcome: 'ok' }), { code: { text: '\na = 1\nb', language: 'python' }, output: '1\n' }, 'a = 1'],
  ['code without a language', part({ code: 'x' }, '1'), { code: { text: 'x', language: 'python' }, output: '1' }, 'x'],
  ['a command', part({ command: 'ls' }, 'a.txt'), { code: { text: 'ls', language: 'bash' }, output: 'a.txt' }, 'ls'],
  ['code that failed', failed({ code: 'x' }, 'NameError'), { code: { text: 'x', language: 'python' }, output: 'NameError' }, 'x'],
  ['nothing that this page knows', part(null, 7), {}, ''],
])('%s', (_, input, expected, gist) => {
  expect(providerCallOf(input)).toEqual({ queries: [], pages: [], ...expected })
  expect(providerCallSummary(providerCallOf(input))).toBe(gist)
})

test('a tool that this page does not know keeps its name', () => {
  expect(['web_search', 'google_maps'].map(providerTitle)).toEqual(['Web search', 'Google maps'])
})
