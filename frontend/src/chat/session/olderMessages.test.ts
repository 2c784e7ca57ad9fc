import { beforeEach, expect, test, vi } from 'vitest'
import { conversationsApi } from '../../api/conversationsApi'
import type { ChatMessage, Conversation } from '../../api/messageTypes'
import { createStore } from '../../ui/store'
import type { Chat } from './chat'
import { OlderMessages } from './olderMessages'
import { INITIAL_STATE } from './sessionState'

vi.mock('../../api/boot', () => ({ boot: {} })) // the page's data, which these need nothing of

const DAY = new Date('2026-01-05T00:00:00Z')

const messages = (letters: string): ChatMessage[] => [...letters].map((id) => ({ id, role: 'user', parts: [] }))
const page = (pageMessages: readonly ChatMessage[], hasMore = true) => ({ messages: pageMessages, hasMore }) as unknown as Conversation

/** A conversation of which `letters` are here, with messages missing before `gapBefore`. */
function open(letters: string, gapBefore = '') {
  const chat = { id: 'c1', messages: messages(letters) }
  const state = createStore({ ...INITIAL_STATE, hasMore: true, gapBefore })
  const older = new OlderMessages(chat as unknown as Chat, state)
  return { chat, state, older, ids: () => chat.messages.map(({ id }) => id).join('') }
}

beforeEach(() => {
  vi.restoreAllMocks()
})

test('a day is shown before the newest messages, with a gap between', async () => {
  vi.spyOn(conversationsApi, 'getFrom').mockResolvedValue(page(messages('cd')))
  const { older, state, ids } = open('xy')
  expect((await older.loadSince(DAY, () => true))?.id).toBe('c')
  expect([ids(), state.get().gapBefore]).toEqual(['cdxy', 'x'])
})

test('a day that begins with a message of this page is shown where it is', async () => {
  const first: ChatMessage = { id: 'stored', role: 'user', parts: [], metadata: { clientId: 'y', createdAt: '2026-01-05T08:00:00Z' } }
  vi.spyOn(conversationsApi, 'getFrom').mockResolvedValue(page([first]))
  const { older, state, ids } = open('xy')
  expect(await older.loadSince(DAY, () => true)).toEqual({ ...first, id: 'y' })
  expect([ids(), state.get().gapBefore]).toEqual(['xy', ''])
})

test('a day whose dialog was closed meanwhile is not shown', async () => {
  vi.spyOn(conversationsApi, 'getFrom').mockResolvedValue(page(messages('cd')))
  const { older, ids } = open('xy')
  expect(await older.loadSince(DAY, () => false)).toBeUndefined()
  expect(ids()).toBe('xy')
})

test('older messages that arrive after the reader went to another day are not put before it', async () => {
  let arrive: (conversation: Conversation) => void = () => undefined
  vi.spyOn(conversationsApi, 'get').mockReturnValue(new Promise((resolve) => (arrive = resolve)))
  vi.spyOn(conversationsApi, 'getFrom').mockResolvedValue(page(messages('cd')))
  const { older, state, ids } = open('xy')
  const loading = older.load()
  await older.loadSince(DAY, () => true)
  arrive(page(messages('vw'), false))
  await loading
  expect([ids(), state.get().hasMore]).toEqual(['cdxy', true])
})

test('a message inside the gap is loaded from the newest ones on', async () => {
  vi.spyOn(conversationsApi, 'findMessage').mockResolvedValue({ shown: true, newer: 2 })
  vi.spyOn(conversationsApi, 'get').mockResolvedValue(page(messages('vw')))
  const { older, state, ids } = open('abxy', 'x')
  expect(await older.loadUpTo('w')).toBe('here')
  expect([ids(), state.get().gapBefore, state.get().hasMore]).toEqual(['vwxy', '', true])
})

test('looking for a message of another branch leaves the day that is shown', async () => {
  vi.spyOn(conversationsApi, 'findMessage').mockResolvedValue({ shown: false, newer: 0 })
  const { older, state, ids } = open('abxy', 'x')
  expect(await older.loadUpTo('w')).toBe('elsewhere')
  expect([ids(), state.get().gapBefore]).toEqual(['abxy', 'x'])
})

test('the gap is closed by the page that reaches the newest messages', async () => {
  const getFrom = vi.spyOn(conversationsApi, 'getFrom').mockResolvedValueOnce(page(messages('bcd')))
  getFrom.mockResolvedValueOnce(page(messages('dexy')))
  const { older, state, ids } = open('abxy', 'x')
  await older.fillGap(() => true)
  expect([ids(), state.get().gapBefore]).toEqual(['abcdexy', ''])
})
