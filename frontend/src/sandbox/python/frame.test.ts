import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FromFrame, FromWorker, ToFrame, ToWorker } from './messages'

let ordered: ToWorker[]
let messages: FromFrame[]
let answerFromWorker: (message: FromWorker) => void
let askFromPage: (message: ToFrame) => void
let startedWorkers: number

/** The browser around the frame: a page that gives it a port, and a worker that says what a test wants. */
beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  ordered = []
  messages = []
  startedWorkers = 0
  let greet: (event: object) => void = () => undefined
  const parent = { postMessage: () => undefined }
  const port = { onmessage: (_: { data: ToFrame }) => undefined, postMessage: (message: FromFrame) => messages.push(message) }
  class Worker {
    onmessage: (event: { data: FromWorker }) => void = () => undefined
    constructor() {
      startedWorkers++
      answerFromWorker = (data) => this.onmessage({ data })
    }
    postMessage = (message: ToWorker) => ordered.push(message)
    terminate = () => undefined
  }
  const globals = { parent, Worker, self: {}, location: { href: 'http://localhost/frame/', hash: '' }, document: { body: { dataset: { pyodide: '/pyodide/' } } } }
  Object.entries(globals).forEach(([name, value]) => vi.stubGlobal(name, value))
  vi.stubGlobal('addEventListener', (_: string, listener: typeof greet) => (greet = listener))
  vi.stubGlobal('removeEventListener', () => undefined)
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('')))
  await import('./frame')
  greet({ source: parent, data: { type: 'port' }, ports: [port] })
  askFromPage = (data) => port.onmessage({ data })
  askFromPage({ type: 'run', code: 'import numpy', dark: false })
  await vi.advanceTimersByTimeAsync(0)
  await vi.waitFor(() => expect(ordered).not.toEqual([]))
  answerFromWorker({ type: 'ready' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the minute of a program begins when what it imports is there', async () => {
  await vi.advanceTimersByTimeAsync(70_000)
  expect(ordered.at(-1)).toEqual({ type: 'run', code: 'import numpy', dark: false })
  answerFromWorker({ type: 'began' })
  await vi.advanceTimersByTimeAsync(59_000)
  expect(ordered.at(-1)?.type).toBe('run')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ordered.at(-1)?.type).toBe('stop')
})

test('a program that is stopped before it begins gets no time', async () => {
  askFromPage({ type: 'stop' })
  answerFromWorker({ type: 'stopping' })
  answerFromWorker({ type: 'began' })
  answerFromWorker({ type: 'done', outcome: { status: 'stopped', reason: 'user' }, ms: 5 })
  await vi.advanceTimersByTimeAsync(70_000)
  expect(messages.filter(({ type }) => type === 'done')).toEqual([{ type: 'done', outcome: { status: 'stopped', reason: 'user' }, ms: 5 }])
})

test('waiting for input does not count', async () => {
  answerFromWorker({ type: 'began' })
  await vi.advanceTimersByTimeAsync(50_000)
  answerFromWorker({ type: 'input' })
  await vi.advanceTimersByTimeAsync(70_000)
  askFromPage({ type: 'input', text: 'yes' })
  await vi.advanceTimersByTimeAsync(9_000)
  expect(ordered.at(-1)).toEqual({ type: 'input', text: 'yes' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ordered.at(-1)?.type).toBe('stop')
})

test('a program that does not end has its worker replaced, and the page hears of its end at once', async () => {
  answerFromWorker({ type: 'began' })
  askFromPage({ type: 'stop' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(messages.filter(({ type }) => type === 'done')).toMatchObject([{ outcome: { status: 'stopped', reason: 'user' } }])
  expect(startedWorkers).toBe(2)
})

test('a start from a snapshot that fails is repeated without it', async () => {
  answerFromWorker({ type: 'snapshot', snapshot: new ArrayBuffer(8) })
  askFromPage({ type: 'stop' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ordered.at(-1)).toMatchObject({ type: 'init', snapshot: expect.any(ArrayBuffer) })
  answerFromWorker({ type: 'failed', message: 'no such snapshot' })
  await vi.advanceTimersByTimeAsync(0)
  expect(ordered.at(-1)).toMatchObject({ type: 'init', snapshot: undefined })
  answerFromWorker({ type: 'failed', message: 'no Python' })
  expect(messages.at(-1)).toEqual({ type: 'failed', message: 'no Python' })
})
