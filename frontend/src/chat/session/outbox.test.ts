import { afterEach, beforeEach, expect, test } from 'vitest'
import { completeAnswer, type FakeNetwork } from '../../testing/fakeNetwork'
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

test('a message written instead of a refused one takes its place', async () => {
  network.script = inOrder(
    () => [{ errorText: 'The message is too long.' }],
    () => completeAnswer('Hello'),
  )
  void session.send('long')
  await pass()
  void session.send('short')
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['short', 'Hello'])
})

test('a refused message can be taken back into the box, and is nowhere else then', async () => {
  network.script = inOrder(
    () => [{ errorText: 'The message is too long.' }],
    () => completeAnswer('Hello'),
  )
  void session.send('long')
  await pass()
  session.editRefused()
  expect(session.state.get().returnedText).toBe('long')
  expect(session.chat.messages).toEqual([])
  expect(display().status).toBe('ready')
  expect((await import('./unsentStorage')).readSending(session.id)).toBeUndefined()
  void session.send('short')
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['short', 'Hello'])
})

test('a refused message goes back into the box when the conversation is read again', async () => {
  network.script = inOrder(
    () => [{ errorText: 'An answer is still being written here.' }],
    () => ['no-active'],
  )
  network.bodies[CONVERSATION_PATH] = storedConversation('the answer to the other tab', true)
  void session.send('from this tab')
  await pass()
  session.handleAnnouncement({ activeRun: true, waiting: null, headId: 'a1' })
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['q', 'the answer to the other tab'])
  expect(session.state.get().returnedText).toBe('from this tab')
})

test('a message that was given up, and put back into the box of another tab, does not go out by itself', async () => {
  shareStorage()
  network.bodies[CONVERSATION_PATH] = storedConversation('the answer to another question')
  network.down = true
  void session.send('hi')
  await pass(60_000)
  network.down = false
  const other = await openSecondTab()
  await other.open()
  expect(other.state.get().returnedText).toBe('hi')
  session.recover()
  await pass(1000)
  expect(frameTypes()).toEqual([])
  expect(session.state.get()).toMatchObject({ connection: 'steady', returnedText: 'hi' })
})

test('a tab that only reads the conversation again leaves the message to the one that is sending it', async () => {
  shareStorage()
  network.bodies[CONVERSATION_PATH] = storedConversation('the answer to another question')
  network.script = () => completeAnswer('Hello')
  const other = await openSecondTab()
  await other.open()
  network.down = true
  void session.send('hi')
  await pass()
  await other.reload()
  network.down = false
  await pass(60_000)
  expect(other.state.get().returnedText).toBe('')
  expect(frameTypes()).toEqual(['send'])
  expect(answers()).toEqual(['Hello'])
})

test('a message that no other tab took goes out again by itself', async () => {
  shareStorage()
  network.script = inOrder(
    () => ['cut'],
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass(500)
  expect(frameTypes()).toEqual(['send', 'send'])
})
