import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginning, failed, FakeNetwork, whole, type Script } from '../../testing/fakeNetwork'
import type { Session } from './session'
import { displayedStatus } from './status'
import { textOf } from '../messageText'

let network: FakeNetwork
let session: Session

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.resetModules()
  network = new FakeNetwork()
  network.install()
  session = new (await import('./session')).Session('c1', true)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Let everything happen that needs at most `ms`. */
const pass = (ms = 20) => vi.advanceTimersByTimeAsync(ms)

const answers = () => session.chat.messages.filter((message) => message.role === 'assistant').map(textOf)
const shown = () => displayedStatus(session.chat.status, session.state.get().connection)
const kinds = () => network.frames.map((frame) => frame.type)
const inTurn = (...scripts: Script[]): Script => {
  let turn = 0
  return (frame) => scripts[Math.min(turn++, scripts.length - 1)]!(frame)
}
const stored = (text: string, activeRun = false) => ({
  ...{ id: 'c1', title: 'T', modelId: null, activeRun, artifacts: [], hasMore: false },
  messages: [
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'q' }] },
    { id: 'a1', role: 'assistant', metadata: { runId: 'r1' }, parts: [{ type: 'text', text }] },
  ],
})
const PATH = '/o/acme/api/conversations/c1/'

test('an answer arrives', async () => {
  network.script = () => whole('Hello')
  void session.send('hi')
  await pass()
  expect(answers()).toEqual(['Hello'])
  expect(shown()).toEqual({ status: 'ready', running: false, reconnecting: false })
})

test('a cut in mid-answer is resumed by a replay, and counts as running meanwhile', async () => {
  network.script = inTurn(
    () => [...beginning('Hel'), 'cut'],
    () => whole('Hello'),
  )
  void session.send('hi')
  await pass()
  expect(shown()).toEqual({ status: 'streaming', running: true, reconnecting: true })
  await pass(400)
  expect(kinds()).toEqual(['send', 'resume'])
  expect(answers()).toEqual(['Hello'])
  expect(shown().status).toBe('ready')
})

test('a message that was not acknowledged goes out again under its own id', async () => {
  network.script = inTurn(
    () => ['cut'],
    () => whole('Hello'),
  )
  void session.send('hi')
  await pass(500)
  expect(kinds()).toEqual(['send', 'send'])
  expect(network.frames[1]?.messages?.[0]?.id).toBe(network.frames[0]?.messages?.[0]?.id)
  expect(session.chat.messages).toHaveLength(2)
  expect(answers()).toEqual(['Hello'])
})

test('an answer that ends without `finish` is resumed; with nothing to resume, the stored one is read', async () => {
  network.stored = { [PATH]: stored('Hello from the store') }
  network.script = inTurn(
    () => [...beginning('Hel'), 'end'],
    () => ['no-active'],
  )
  void session.send('hi')
  await pass(500)
  expect(kinds()).toEqual(['send', 'resume'])
  expect(answers()).toEqual(['Hello from the store'])
  expect(shown().status).toBe('ready')
})

test('an error of the server is shown and not retried', async () => {
  network.script = () => failed('Hel')
  void session.send('hi')
  await pass(20_000)
  expect(kinds()).toEqual(['send'])
  expect(shown()).toEqual({ status: 'error', running: false, reconnecting: false })
  expect(answers()).toEqual(['Hel'])
})

test('a refused message can be sent again; a failed answer is asked for again', async () => {
  network.script = inTurn(
    () => [{ errorText: 'An answer is being written.' }],
    () => failed('Hel'),
    () => whole('Hello'),
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

test('a message written instead of a refused one takes its place', async () => {
  network.script = inTurn(
    () => [{ errorText: 'The message is too long.' }],
    () => whole('Hello'),
  )
  void session.send('long')
  await pass()
  void session.send('short')
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['short', 'Hello'])
})

test('a refused message can be taken back into the box, and is nowhere else then', async () => {
  network.script = inTurn(
    () => [{ errorText: 'The message is too long.' }],
    () => whole('Hello'),
  )
  void session.send('long')
  await pass()
  session.editRefused()
  expect(session.state.get().returnedText).toBe('long')
  expect(session.chat.messages).toEqual([])
  expect(shown().status).toBe('ready')
  expect((await import('./unsentStorage')).readSending(session.id)).toBeUndefined()
  void session.send('short')
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['short', 'Hello'])
})

test('a refused message goes back into the box when the conversation is read again', async () => {
  network.script = inTurn(
    () => [{ errorText: 'An answer is still being written here.' }],
    () => ['no-active'],
  )
  network.stored[PATH] = stored('the answer to the other tab', true)
  void session.send('from this tab')
  await pass()
  session.handleAnnouncement({ activeRun: true, waiting: null })
  await pass()
  expect(session.chat.messages.map(textOf)).toEqual(['q', 'the answer to the other tab'])
  expect(session.state.get().returnedText).toBe('from this tab')
})

test('when the server stays away the user is asked, and one try brings the answer', async () => {
  network.script = inTurn(
    () => [...beginning('Hel'), 'cut'],
    () => whole('Hello'),
  )
  void session.send('hi')
  await pass()
  network.down = true
  await pass(60_000)
  expect(session.state.get().connection).toBe('lost')
  expect(shown().running).toBe(false)
  network.down = false
  session.recover()
  await pass()
  expect(answers()).toEqual(['Hello'])
  expect(session.state.get().connection).toBe('steady')
})

test('a message that was given up goes out once when the notifications are back', async () => {
  const { draftSession, refreshSessions } = await import('./sessions')
  const draft = draftSession()
  network.script = () => whole('Hello')
  network.down = true
  void draft.send('hi')
  await pass(60_000)
  expect(draft.state.get().connection).toBe('lost')
  network.down = false
  refreshSessions(draft.id)
  await pass()
  expect(kinds()).toEqual(['send'])
  expect(draft.chat.messages.map(textOf)).toEqual(['hi', 'Hello'])
  expect(draft.state.get().connection).toBe('steady')
})

/** Two tabs share it. */
function shareStorage(): void {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
}

test('a message that was given up, and put back into the box of another tab, does not go out by itself', async () => {
  shareStorage()
  const { Session: Class } = await import('./session')
  network.stored[PATH] = stored('the answer to another question')
  network.down = true
  void session.send('hi')
  await pass(60_000)
  network.down = false
  const other = new Class('c1', false)
  await other.open()
  expect(other.state.get().returnedText).toBe('hi')
  session.recover()
  await pass(1000)
  expect(kinds()).toEqual([])
  expect(session.state.get()).toMatchObject({ connection: 'steady', returnedText: 'hi' })
})

test('a tab that only reads the conversation again leaves the message to the one that is sending it', async () => {
  shareStorage()
  const { Session: Class } = await import('./session')
  network.stored[PATH] = stored('the answer to another question')
  network.script = () => whole('Hello')
  const other = new Class('c1', false)
  await other.open()
  network.down = true
  void session.send('hi')
  await pass()
  await other.reload()
  network.down = false
  await pass(60_000)
  expect(other.state.get().returnedText).toBe('')
  expect(kinds()).toEqual(['send'])
  expect(answers()).toEqual(['Hello'])
})

test('a message that no other tab took goes out again by itself', async () => {
  shareStorage()
  network.script = inTurn(
    () => ['cut'],
    () => whole('Hello'),
  )
  void session.send('hi')
  await pass(500)
  expect(kinds()).toEqual(['send', 'send'])
})

test('nothing that was given up comes into the middle of an answer', async () => {
  network.script = () => beginning('Hel')
  void session.send('hi')
  await pass()
  session.state.patch({ connection: 'lost' })
  session.recover()
  await pass(1000)
  expect(kinds()).toEqual(['send'])
})

test('an answer that another tab asked for is followed', async () => {
  network.script = inTurn(
    () => whole('One'),
    () => whole('Hello'),
  )
  void session.send('hi')
  await pass()
  network.stored = { [PATH]: stored('', true) }
  session.handleAnnouncement({ activeRun: true, waiting: null })
  await pass()
  expect(kinds()).toEqual(['send', 'resume'])
  expect(session.chat.messages.map((message) => message.id)).toEqual(['u1', 'a1'])
  expect(answers()).toEqual(['Hello'])
})

test('an announcement of the own answer changes nothing', async () => {
  network.script = () => beginning('Hel')
  void session.send('hi')
  await pass()
  session.handleAnnouncement({ activeRun: true, waiting: null })
  await pass()
  expect(network.requested).toEqual([])
})

test('a missing conversation says so', async () => {
  const { Session: Class } = await import('./session')
  const other = new Class('gone', false)
  await other.open()
  expect(other.state.get().load).toBe('missing')
})
