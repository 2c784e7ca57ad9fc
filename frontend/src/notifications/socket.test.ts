import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork } from '../testing/fakeNetwork'

/** Each attempt to connect; the test closes them. */
let sockets: { onopen?: () => void; onclose?: (event: { code: number }) => void; close: () => void }[]
let page: EventTarget
let doc: EventTarget & { visibilityState?: string }

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetModules()
  sockets = []
  page = new EventTarget()
  new FakeNetwork().install()
  const { getElementById } = document
  doc = Object.assign(new EventTarget(), { getElementById, visibilityState: 'visible' })
  vi.stubGlobal('document', doc)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor() {
        sockets.push(this)
      }
      close() {}
    },
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function afterLongOutage(code = 1006): Promise<void> {
  const { startNotifications } = await import('./socket')
  startNotifications()
  for (let attempt = 0; attempt < 8; attempt++) {
    sockets.at(-1)?.onclose?.({ code })
    if (attempt < 7) vi.advanceTimersByTime(30_000)
  }
}

test.each([
  ['the network comes back', () => page.dispatchEvent(new Event('online'))],
  ['the page is looked at', () => doc.dispatchEvent(new Event('visibilitychange'))],
  ['somebody clicks', () => page.dispatchEvent(new Event('pointerdown'))],
  ['somebody types', () => page.dispatchEvent(new Event('keydown'))],
])('after a long outage the page connects at once when %s', async (_, act) => {
  await afterLongOutage()
  const before = sockets.length
  vi.advanceTimersByTime(1100)
  expect(sockets.length).toBe(before)
  act()
  expect(sockets.length).toBe(before + 1)
})

test('clicks do not flood the server', async () => {
  await afterLongOutage()
  const before = sockets.length
  vi.advanceTimersByTime(1100)
  for (let click = 0; click < 5; click++) {
    page.dispatchEvent(new Event('pointerdown'))
    sockets.at(-1)?.onclose?.({ code: 1006 })
  }
  expect(sockets.length).toBe(before + 1)
})

test('a page whose access ended is loaded again, but not while it leaves', async () => {
  const reload = vi.fn()
  const { startNotifications } = await import('./socket')
  startNotifications()
  vi.stubGlobal('location', { href: 'http://parley.example/o/acme/', reload })
  vi.advanceTimersByTime(60_000)
  page.dispatchEvent(new Event('beforeunload'))
  sockets[0]?.onclose?.({ code: 4403 })
  vi.advanceTimersByTime(4900)
  expect(reload).not.toHaveBeenCalled()
  vi.advanceTimersByTime(200)
  expect(reload).toHaveBeenCalledTimes(1)
  sockets[0]?.onclose?.({ code: 4403 })
  expect(reload).toHaveBeenCalledTimes(2)
})

test.each([
  [1008, 'too-much'],
  [1011, 'busy'],
  [1013, 'busy'],
  [1012, 'offline'],
  [1006, 'offline'],
] as const)('after a close with %i the page knows why it waits', async (code, gap) => {
  const { reportedGap } = await import('./connectivity')
  await afterLongOutage(code)
  expect(reportedGap.get()).toBe(gap)
  sockets.at(-1)?.onopen?.()
  sockets.at(-1)?.onclose?.({ code: 1013 })
  expect(reportedGap.get()).toBe('busy')
})

test('a server that opens sockets and closes them at once is asked less and less often', async () => {
  const { startNotifications } = await import('./socket')
  const { reportedGap } = await import('./connectivity')
  startNotifications()
  const from = Date.now()
  const waits: number[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    const count = sockets.length
    sockets.at(-1)?.onopen?.()
    sockets.at(-1)?.onclose?.({ code: 1013 })
    const began = Date.now()
    while (sockets.length === count) vi.advanceTimersByTime(50)
    waits.push(Date.now() - began)
  }
  expect(waits.at(-1)).toBeGreaterThan(5000)
  expect(Date.now() - from).toBeGreaterThan(10_000)
  sockets.at(-1)?.onopen?.()
  vi.advanceTimersByTime(400)
  expect(reportedGap.get()).toBeNull()
})

test('a server that asked for a pause gets it', async () => {
  await afterLongOutage(1008)
  const before = sockets.length
  vi.advanceTimersByTime(5000)
  page.dispatchEvent(new Event('pointerdown'))
  expect(sockets.length).toBe(before)
})

test('a network that goes right after the socket opened is shown as gone', async () => {
  const { startNotifications } = await import('./socket')
  const { reportedGap } = await import('./connectivity')
  startNotifications()
  sockets.at(-1)?.onopen?.()
  page.dispatchEvent(new Event('offline'))
  vi.advanceTimersByTime(1000)
  expect(reportedGap.get()).toBe('offline')
})
