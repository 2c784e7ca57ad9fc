import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork, completeAnswer } from '../testing/fakeNetwork'
import type { DisplayedDocument } from './viewProps'

let network: FakeNetwork

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.resetModules()
  network = new FakeNetwork()
  network.install()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function begin() {
  const [{ fixHandler }, { loadSdk }, { sessionOf }, { EditSession }] = await Promise.all([import('./fixHandler'), import('../chat/session/chat'), import('../chat/session/sessions'), import('./editing/editSession')])
  await loadSdk()
  const editing = new EditSession('a', 1, 'draw', () => undefined)
  const session = sessionOf('c1')
  const fix = async () => {
    fixHandler({ entry: { title: 'Plan', isOwn: true }, editing, conversationId: 'c1' } as DisplayedDocument)?.('line 1')
    await vi.advanceTimersByTimeAsync(20)
  }
  return { editing, session, fix }
}

test('an error goes to the agent alone: the files of the message box stay there', async () => {
  const { session, fix } = await begin()
  network.script = () => completeAnswer('Mended')
  session.attachments.list.set([{ ...{ key: 'k', name: 'a.txt', sizeBytes: 1, progress: 1, preview: '', error: '' }, item: { id: 'f' } as never }])
  await fix()
  expect(network.frames[0]?.messages?.[0]).toMatchObject({ parts: [{ type: 'text', text: 'Fix this error in Plan:\n\n```\nline 1\n```' }] })
  expect(session.attachments.list.get()).toHaveLength(1)
})

test('nothing is asked about a text that is not saved, or past a message that was given up', async () => {
  const { editing, session, fix } = await begin()
  network.reply = () => 'offline'
  editing.change('draw more')
  await fix()
  network.reply = () => [201, { version: { number: 2 }, content: 'draw more', merged: false }]
  session.state.patch({ connection: 'lost' })
  await fix()
  expect(editing.isUnsaved).toBe(false)
  expect(network.frames).toEqual([])
})
