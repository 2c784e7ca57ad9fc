// One session of a conversation against a fake network and a fake clock.
import { vi } from 'vitest'
import type { Session } from '../chat/session/session'
import { FakeNetwork, type Script } from './fakeNetwork'

export type FakePage = { readonly network: FakeNetwork; readonly session: Session }

/** A fresh page with the conversation `c1`, which is new. Call it before each test, and `closePage` after it. */
export async function openSession(): Promise<FakePage> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.resetModules()
  const network = new FakeNetwork()
  network.install()
  const [{ Session }, { loadSdk }] = await Promise.all([import('../chat/session/session'), import('../chat/session/chat')])
  await loadSdk()
  return { network, session: new Session('c1', true) }
}

export function closePage(): void {
  vi.useRealTimers()
  vi.unstubAllGlobals()
}

/** The same conversation in another tab of the browser. */
export async function openSecondTab(id = 'c1'): Promise<Session> {
  const { Session } = await import('../chat/session/session')
  return new Session(id, false)
}

/** Let everything happen that needs at most `ms`. */
export const pass = (ms = 20) => vi.advanceTimersByTimeAsync(ms)

/** A script for each request in order; the last one answers all that follow. */
export const inOrder = (...scripts: Script[]): Script => {
  let turn = 0
  return (frame) => scripts[Math.min(turn++, scripts.length - 1)]!(frame)
}

/** Gives the page a storage, which its tabs share. */
export function shareStorage(): void {
  const storage = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  })
}

export const CONVERSATION_PATH = '/o/acme/api/conversations/c1/'

/** The stored conversation: a question and its answer. */
export const storedConversation = (text: string, activeRun = false) => ({
  ...{ id: 'c1', title: 'T', modelId: null, activeRun, artifacts: [], hasMore: false },
  messages: [
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'q' }] },
    { id: 'a1', role: 'assistant', metadata: { runId: 'r1' }, parts: [{ type: 'text', text }] },
  ],
})
