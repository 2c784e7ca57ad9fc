import { afterEach, expect, test, vi } from 'vitest'
import { PageTools } from './tools'

const toolsWith = (handler: () => unknown): PageTools => {
  const tools = new PageTools(() => undefined)
  tools.register('look', handler)
  return tools
}
const call = (handler: () => unknown) => toolsWith(handler).call('look', {}, 'call-1')

afterEach(() => vi.restoreAllMocks())

test('a function without an answer is given up after two minutes, and told so by its signal', async () => {
  const clock = new AbortController() // in place of the browser's, which no test can turn
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal)
  let toolSignal: AbortSignal | undefined
  const tools = new PageTools(() => undefined)
  tools.register('look', (_, { signal }) => {
    toolSignal = signal
    return new Promise(() => undefined)
  })
  const reply = tools.call('look', {}, 'call-1')
  expect(timeout).toHaveBeenCalledExactlyOnceWith(120_000)
  clock.abort()
  expect(await reply).toEqual({ errorText: 'It took longer than two minutes.' })
  expect(toolSignal?.aborted).toBe(true)
})

test('a result has at most 40 KB of JSON, counted in bytes', async () => {
  const most = 40 * 1024 - 2 // without the quotes
  expect(await call(() => 'a'.repeat(most))).toEqual({ output: 'a'.repeat(most) })
  expect(await call(() => 'a'.repeat(most + 1))).toEqual({ errorText: 'The result is larger than 40 KB.' })
  expect(await call(() => 'ä'.repeat(most / 2 + 1))).toEqual({ errorText: 'The result is larger than 40 KB.' })
})

test('what JSON can’t say, and what is thrown, are errors in words, and nothing is null', async () => {
  const ring: Record<string, unknown> = {}
  ring.self = ring
  expect(await call(() => ring)).toEqual({ errorText: expect.stringContaining('circular') })
  expect(await call(() => Promise.reject(new Error('Sold out')))).toEqual({ errorText: 'Sold out' })
  expect(await call(() => undefined)).toEqual({ output: null })
  expect(await toolsWith(() => 1).call('other', {}, 'call-1')).toBeNull()
})

test('a page has at most 50 tools with plain names, and a wrong one changes nothing', () => {
  const tools = toolsWith(() => 1)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tool_${index}`, () => index]))
  for (const wrong of [many, { 'two words': () => 1 }, { look: 1 as never }]) expect(() => tools.setAll(wrong)).toThrow(TypeError)
  expect(tools.names).toEqual(['look'])
})
