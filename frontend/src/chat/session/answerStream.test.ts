import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerStart, failedAnswer, completeAnswer, type FakeNetwork } from '../../testing/fakeNetwork'
import { closePage, CONVERSATION_PATH, inOrder, openSession, pass, storedConversation } from '../../testing/openSession'
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

test('a cut in mid-answer is resumed by a replay, and counts as running meanwhile', async () => {
  network.script = inOrder(
    () => [...answerStart('Hel'), 'cut'],
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass()
  expect(display()).toEqual({ status: 'streaming', running: true, reconnecting: true })
  await pass(400)
  expect(frameTypes()).toEqual(['send', 'resume'])
  expect(answers()).toEqual(['Hello'])
  expect(display().status).toBe('ready')
})

test('a connection lost behind a whole answer is nothing to show', async () => {
  network.script = () => [...completeAnswer('Hello').filter((frame) => frame !== 'end'), 'cut']
  void session.send('hi')
  await pass(20_000)
  expect(frameTypes()).toEqual(['send'])
  expect(answers()).toEqual(['Hello'])
  expect(session.chat.error).toBeUndefined()
  expect(display()).toEqual({ status: 'ready', running: false, reconnecting: false })
})

test('a message that was not acknowledged goes out again under its own id', async () => {
  network.script = inOrder(
    () => ['cut'],
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass(500)
  expect(frameTypes()).toEqual(['send', 'send'])
  expect(network.frames[1]?.messages?.[0]?.id).toBe(network.frames[0]?.messages?.[0]?.id)
  expect(session.chat.messages).toHaveLength(2)
  expect(answers()).toEqual(['Hello'])
})

test('an answer that ends without `finish` is resumed; with nothing to resume, the stored one is read', async () => {
  network.bodies = { [CONVERSATION_PATH]: storedConversation('Hello from the store') }
  network.script = inOrder(
    () => [...answerStart('Hel'), 'end'],
    () => ['no-active'],
  )
  void session.send('hi')
  await pass(500)
  expect(frameTypes()).toEqual(['send', 'resume'])
  expect(answers()).toEqual(['Hello from the store'])
  expect(display().status).toBe('ready')
})

test('an error of the server is shown and not retried', async () => {
  network.script = () => failedAnswer('Hel')
  void session.send('hi')
  await pass(20_000)
  expect(frameTypes()).toEqual(['send'])
  expect(display()).toEqual({ status: 'error', running: false, reconnecting: false })
  expect(answers()).toEqual(['Hel'])
})

test('a refused message can be sent again; a failed answer is asked for again', async () => {
  network.script = inOrder(
    () => [{ errorText: 'An answer is being written.' }],
    () => failedAnswer('Hel'),
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass()
  expect(session.chat.error?.message).toBe('An answer is being written.')
  void session.retry()
  await pass()
  void session.retry()
  await pass()
  expect(network.frames.map((frame) => (frame as unknown as { trigger: string }).trigger)).toEqual(['submit-message', 'submit-message', 'regenerate-message'])
  expect(answers()).toEqual(['Hello'])
})

test('when the server stays away the user is asked, and one try brings the answer', async () => {
  network.script = inOrder(
    () => [...answerStart('Hel'), 'cut'],
    () => completeAnswer('Hello'),
  )
  void session.send('hi')
  await pass()
  network.down = true
  await pass(60_000)
  expect(session.state.get().connection).toBe('lost')
  expect(display().running).toBe(false)
  network.down = false
  session.recover()
  await pass()
  expect(answers()).toEqual(['Hello'])
  expect(session.state.get().connection).toBe('steady')
})

test('nothing that was given up comes into the middle of an answer', async () => {
  network.script = () => answerStart('Hel')
  void session.send('hi')
  await pass()
  session.state.patch({ connection: 'lost' })
  session.recover()
  await pass(1000)
  expect(frameTypes()).toEqual(['send'])
})
