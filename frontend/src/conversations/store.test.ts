import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConversationItem } from '../api/generated'
import { FakeNetwork } from '../testing/fakeNetwork'

const PAGE = '/o/acme/api/conversations/?limit=40'
const item = (id: string, changes: Partial<ConversationItem> = {}): ConversationItem => ({
  ...{ id, title: id, headId: null, updatedAt: '2026-05-20T08:00:00Z', createdAt: '2026-05-20T08:00:00Z', revision: 1 },
  ...{ unread: false, pinned: false, archived: false, projectId: null, activeRun: false, waiting: null },
  ...changes,
})
const page = (...items: ConversationItem[]) => ({ items, nextCursor: null })

let network: FakeNetwork
let store: typeof import('./store')

beforeEach(async () => {
  vi.resetModules()
  vi.stubGlobal('addEventListener', () => undefined)
  network = new FakeNetwork()
  network.install()
  store = await import('./store')
})
afterEach(() => vi.unstubAllGlobals())

/** The titles in the list, with a star for pinned ones. */
const titles = () => store.knownConversations().map(({ title, pinned }) => title + (pinned ? '*' : '')).join(' ')

test('deleted conversations that are restored are listed as the server says, and follow changes again', () => {
  for (const one of [item('a', { pinned: true }), item('b')]) store.putConversation(one)
  store.dropConversations(['a', 'b'])
  expect(store.putConversation(item('a', { revision: 2 }))).toBe(false) // announced before the deletion
  expect(titles()).toBe('')
  store.putRestored([item('a', { pinned: true, revision: 3 }), item('b', { revision: 3 })])
  expect(titles()).toBe('a* b')
  expect(store.putConversation(item('a', { title: 'A', revision: 4 }))).toBe(true)
})

test('a restored conversation follows changes again also where its return was missed', async () => {
  store.putConversation(item('a'))
  store.dropConversations(['a'])
  network.bodies[PAGE] = page(item('a', { pinned: true, revision: 3 }))
  await store.refreshList()
  expect(titles()).toBe('a*')
  expect(store.putConversation(item('a', { title: 'A', revision: 4 }))).toBe(true)
})

test('what is deleted while the list is read does not come back with it', async () => {
  network.bodies[PAGE] = Promise.resolve(page(item('a'), item('b')))
  const reading = store.refreshList()
  store.dropConversations(['a'])
  await reading
  expect(titles()).toBe('b')
})

test('Undo of the archive pins again what was pinned', async () => {
  const [pinned, other] = [item('a', { pinned: true }), item('b')]
  network.reply = ({ body }) => [200, body.pinned ? item('a', { pinned: true, revision: 2 }) : { ids: body.ids }]
  await store.undoArchive([pinned, other])
  expect(network.posts.map(({ path, body }) => [path, body])).toEqual([
    ['/o/acme/api/conversation-batches/', { ids: ['b'], act: 'unarchive' }],
    ['/o/acme/api/conversations/a/', { pinned: true }],
  ])
  expect(titles()).toBe('b a*')
})
