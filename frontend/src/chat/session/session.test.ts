import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerStart, completeAnswer, type FakeNetwork } from '../../testing/fakeNetwork'
import { closePage, CONVERSATION_PATH, inOrder, openSecondTab, openSession, pass, shareStorage, storedConversation } from '../../testing/openSession'
import { textOf } from '../messageText'
import type { Session } from './session'
import { displayedStatus } from './status'

let network: FakeNetwork
let session: Session

beforeEach(async () => {
  ;({ network, session } = await openSession())
})

afterEach(closePage)

const answers = () => session.chat.messages.filter((message) => message.role === 'assistant').map(textOf)
const display = () => displayedStatus(session.chat.status, session.state.get().connection)
const frameTypes = () => network.frames.map((frame) => frame.type)

test('an answer arrives', async () => {
  network.script = () => completeAnswer('Hello')
  void session.send('hi')
  await pass()
  expect(answers()).toEqual(['Hello'])
  expect(display()).toEqual({ status: 'ready', running: false, reconnecting: false })
})

test('a message that was given up goes out once when the notifications are back', async () => {
  const { draftSession, refreshSessions } = await import('./sessions')
  const draft = draftSession()
  network.script = () => completeAnswer('Hello')
  network.down = true
  void draft.send('hi')
  await pass(60_000)
  expect(draft.state.get().connection).toBe('lost')
  network.down = false
  refreshSessions(draft.id)
  await pass()
  expect(frameTypes()).toEqual(['send'])
  expect(draft.chat.messages.map(textOf)).toEqual(['hi', 'Hello'])
  expect(draft.state.get().connection).toBe('steady')
})

test('an answer that another tab asked for is followed', async () => {
  network.script = inOrder(
    () => completeAnswer('One'),
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass()
  network.bodies = { [CONVERSATION_PATH]: storedConversation('', true) }
  session.handleAnnouncement({ activeRun: true, waiting: null, headId: 'a1' })
  await pass()
  expect(frameTypes()).toEqual(['send', 'resume'])
  expect(session.chat.messages.map((message) => message.id)).toEqual(['u1', 'a1'])
  expect(answers()).toEqual(['Hello'])
})

test('an announcement of the own answer changes nothing', async () => {
  network.script = () => answerStart('Hel')
  void session.send('hi')
  await pass()
  session.handleAnnouncement({ activeRun: true, waiting: null, headId: 'a1' })
  await pass()
  expect(network.requested).toEqual([])
})

test('a missing conversation says so', async () => {
  const other = await openSecondTab('gone')
  await other.open()
  expect(other.state.get().load).toBe('missing')
})

test('what is sent before the rest of the page is here is shown at once and sent once', async () => {
  vi.resetModules()
  const [{ Session }, { loadSdk }] = await Promise.all([import('./session'), import('./chat')])
  network.script = () => completeAnswer('Hello')
  const early = new Session('c2', true)
  void early.send('hi')
  expect([early.chat.messages.map(textOf), early.chat.status]).toEqual([['hi'], 'submitted'])
  await loadSdk()
  await pass()
  expect(early.chat.messages.map(textOf)).toEqual(['hi', 'Hello'])
  expect(frameTypes()).toEqual(['send'])
})

test('a message that waits for the edits of a document survives a page that is closed meanwhile', async () => {
  shareStorage()
  const [{ unsavedEdits }, { readDraft }] = await Promise.all([import('../../artifacts/unsavedEdits'), import('../../browser/drafts')])
  unsavedEdits.save = () => [new Promise(() => undefined)]
  const second = await openSecondTab()
  second.state.patch({ load: 'ready' })
  void second.write('hi', false)
  expect([readDraft('c1'), frameTypes()]).toEqual(['hi', []])
  await pass(1_600)
  expect([readDraft('c1'), frameTypes()]).toEqual(['', ['send']])
})
