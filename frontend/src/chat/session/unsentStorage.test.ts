import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let storage: Map<string, string>
let unsent: typeof import('./unsentStorage')

beforeEach(async () => {
  storage = new Map()
  vi.resetModules()
  vi.stubGlobal('document', { getElementById: () => ({ textContent: '{"organization": {"slug": "acme"}}' }) })
  vi.stubGlobal('localStorage', { getItem: (key: string) => storage.get(key) ?? null, setItem: (key: string, value: string) => storage.set(key, value), removeItem: (key: string) => storage.delete(key) })
  unsent = await import('./unsentStorage')
})

afterEach(() => vi.unstubAllGlobals())

const message = (id: string, state: 'sending' | 'accepted' | 'failed') => ({ id, text: `text of ${id}`, state, error: '' })

test('what the server has not confirmed comes back after a reload, as not sent', () => {
  unsent.writeUnsent('c1', [message('a', 'sending'), message('b', 'accepted'), message('c', 'failed')])
  expect(unsent.readUnsent('c1').map(({ id, text, state }) => [id, text, state])).toEqual([
    ['a', 'text of a', 'failed'],
    ['c', 'text of c', 'failed'],
  ])
  expect(unsent.readUnsent('c2')).toEqual([])
})

test('nothing is stored once all is confirmed', () => {
  unsent.writeUnsent('c1', [message('a', 'sending')])
  unsent.writeUnsent('c1', [message('a', 'accepted')])
  expect(storage.size).toBe(0)
})

test.each(['no json', '{}', '[1, null, {"id": 1}]'])('a spoilt store gives nothing: %s', (text) => {
  unsent.writeUnsent('c1', [message('a', 'sending')])
  storage.set([...storage.keys()][0]!, text)
  expect(unsent.readUnsent('c1')).toEqual([])
})
