import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FromFrame, FromWorker, ToFrame, ToWorker } from './messages'

let ordered: ToWorker[]
let told: FromFrame[]
let work: (message: FromWorker) => void
let ask: (message: ToFrame) => void

/** The browser around the frame: a page that gives it a port, and a worker that says what a test wants. */
beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  ordered = []
  told = []
  let greet: (event: object) => void = () => undefined
  const parent = { postMessage: () => undefined }
  const port = { onmessage: (_: { data: ToFrame }) => undefined, postMessage: (message: FromFrame) => told.push(message) }
  class Worker {
    onmessage: (event: { data: FromWorker }) => void = () => undefined
    constructor() {
      work = (data) => this.onmessage({ data })
    }
    postMessage = (message: ToWorker) => ordered.push(message)
    terminate = () => undefined
  }
  const globals = { parent, Worker, self: {}, location: { href: 'http://localhost/frame/', hash: '' }, PYODIDE_PATH: '/pyodide/' }
  Object.entries(globals).forEach(([name, value]) => vi.stubGlobal(name, value))
  vi.stubGlobal('addEventListener', (_: string, listener: typeof greet) => (greet = listener))
  vi.stubGlobal('removeEventListener', () => undefined)
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('')))
  await import('./frame')
  greet({ source: parent, data: { type: 'port' }, ports: [port] })
  ask = (data) => port.onmessage({ data })
  ask({ type: 'run', code: 'import numpy' })
  await vi.advanceTimersByTimeAsync(0)
  await vi.waitFor(() => expect(ordered).not.toEqual([]))
  work({ type: 'ready' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the minute of a program begins when what it imports is there', async () => {
  await vi.advanceTimersByTimeAsync(70_000)
  expect(ordered.at(-1)).toEqual({ type: 'run', code: 'import numpy' })
  work({ type: 'began' })
  await vi.advanceTimersByTimeAsync(59_000)
  expect(ordered.at(-1)?.type).toBe('run')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ordered.at(-1)?.type).toBe('stop')
})

test('a program that is stopped before it begins gets no time', async () => {
  ask({ type: 'stop' })
  work({ type: 'stopping' })
  work({ type: 'began' })
  work({ type: 'done', outcome: { status: 'stopped', reason: '' }, ms: 5 })
  await vi.advanceTimersByTimeAsync(70_000)
  expect(told.filter(({ type }) => type === 'done')).toEqual([{ type: 'done', outcome: { status: 'stopped', reason: 'Stopped.' }, ms: 5 }])
})
