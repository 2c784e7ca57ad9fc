import { afterEach, beforeEach, expect, test } from 'vitest'
import { questionAnswer, answerStart, chunk, type FakeNetwork, approvalAnswer, steeringMessage, completeAnswer, type Answer } from '../../testing/fakeNetwork'
import { closePage, inOrder, openSession, pass } from '../../testing/openSession'
import { steeringText, textOf } from '../messageText'
import { notYetShown } from './queuedMessages'
import type { Session } from './session'

let network: FakeNetwork
let session: Session

beforeEach(async () => {
  ;({ network, session } = await openSession())
})

afterEach(closePage)

const INPUT = '/o/acme/api/conversations/c1/input/'
const OVER = [409, { error: { code: 'run_over', message: 'The answer is over.' } }] as const
const ACCEPTED = [202, { runId: 'r1', messageId: 'a1', resumed: false }] as const
const RESUMED = [202, { runId: 'r1', messageId: 'a1', resumed: true }] as const

const queued = () => session.state.get().queue.map(({ text, state }) => [text, state])
const idOf = (number: number) => network.posts[number]!.body.id as string
/** The newest message as words: what the user wrote in between stands in brackets. */
const read = () =>
  session.chat.lastMessage!.parts.flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'steering-message' ? [`[${steeringText(part)}]`] : []))
const rest: readonly Answer[] = [chunk({ type: 'finish-step' }), chunk({ type: 'finish', finishReason: 'stop' }), 'end']

/** Send a message whose answer stays open until the socket is cut. */
async function openAnswer(): Promise<void> {
  network.script = inOrder(() => answerStart('Hel'))
  void session.write('hi')
  await pass()
}

test('a message that is written while the answer streams goes into it', async () => {
  await openAnswer()
  network.reply = () => ACCEPTED
  void session.write('and tea')
  await pass()
  expect(network.posts).toEqual([{ path: INPUT, body: { id: idOf(0), text: 'and tea' } }])
  expect(queued()).toEqual([['and tea', 'accepted']])
  expect(network.frames.map((frame) => frame.type)).toEqual(['send'])
})

test('the answer shows the message where it came in, and then it is pending no more', async () => {
  await openAnswer()
  network.reply = () => ACCEPTED
  void session.write('and tea')
  await pass()
  network.more([chunk({ type: 'text-end', id: 't' }), chunk({ type: 'finish-step' }), steeringMessage(idOf(0), 'and tea'), chunk({ type: 'start-step' })])
  await pass()
  expect(read()).toEqual(['Hel', '[and tea]'])
  expect(notYetShown(session.state.get().queue, session.chat.messages)).toEqual([])
  network.more(rest)
  await pass()
  expect(session.state.get()).toMatchObject({ queue: [], returnedText: '' })
})

test('a message that comes after the end becomes a message of its own', async () => {
  await openAnswer()
  network.reply = () => OVER
  void session.write('too late')
  await pass()
  expect(queued()).toEqual([['too late', 'late']])
  network.script = () => completeAnswer('Hello')
  network.more(rest)
  await pass()
  expect(session.chat.messages.filter((message) => message.role === 'user').map(textOf)).toEqual(['hi', 'too late'])
  expect(queued()).toEqual([])
})

test('a message that could not be sent stays, and goes out again under its own id', async () => {
  await openAnswer()
  network.reply = () => [500, { error: { code: 'server_error', message: 'Try again.' } }]
  void session.write('and tea')
  await pass(60_000)
  expect(queued()).toEqual([['and tea', 'failed']])
  network.reply = () => ACCEPTED
  void session.queue.retry(idOf(0))
  await pass()
  expect(idOf(1)).toBe(idOf(0))
  expect(queued()).toEqual([['and tea', 'accepted']])
})

test.each([
  ['no network', 'offline'],
  ['no server behind the gateway', [502, {}]],
] as const)('messages that met %s go out by themselves when it is back, oldest first, under their own ids', async (_, nobody) => {
  await openAnswer()
  network.reply = () => nobody
  void session.write('and tea')
  await pass()
  void session.write('and cake')
  await pass()
  expect(queued()).toEqual([
    ['and tea', 'offline'],
    ['and cake', 'offline'],
  ])
  const tried = network.posts.length
  network.reply = () => ACCEPTED
  await pass(16_000)
  expect(network.posts.slice(tried).map((post) => post.body.text)).toEqual(['and tea', 'and cake'])
  expect(idOf(tried)).toBe(idOf(0))
  expect(queued()).toEqual([
    ['and tea', 'accepted'],
    ['and cake', 'accepted'],
  ])
})

test('a message that met no network goes out at once when the browser says that it is back', async () => {
  await openAnswer()
  network.reply = () => 'offline'
  void session.write('and tea')
  await pass()
  network.reply = () => ACCEPTED
  session.recover()
  await pass(0)
  expect(queued()).toEqual([['and tea', 'accepted']])
})

test('what is written behind a message that comes after the end goes out with it, in the order in which it was written', async () => {
  await openAnswer()
  network.reply = () => OVER
  void session.write('one')
  await pass()
  network.reply = () => ACCEPTED
  void session.write('two')
  await pass()
  network.script = () => completeAnswer('Hello')
  network.more(rest)
  await pass()
  expect(session.chat.messages.filter((message) => message.role === 'user').map(textOf)).toEqual(['hi', 'one\n\ntwo'])
})

test('a message that waited while the answer ended becomes a message of its own', async () => {
  await openAnswer()
  network.reply = () => 'offline'
  void session.write('too late')
  await pass()
  network.script = () => completeAnswer('Hello')
  network.more(rest)
  network.reply = () => OVER
  await pass(16_000)
  expect(session.chat.messages.filter((message) => message.role === 'user').map(textOf)).toEqual(['hi', 'too late'])
  expect(queued()).toEqual([])
})

test('a message that could not be sent can be taken back into the message box', async () => {
  await openAnswer()
  network.reply = () => [413, { error: { code: 'too_long', message: 'The message is too long.' } }]
  void session.write('very long')
  await pass()
  expect(session.state.get().queue[0]?.error).toBe('The message is too long.')
  session.queue.edit(idOf(0))
  expect(queued()).toEqual([])
  expect(session.state.get().returnedText).toBe('very long')
})

test('what the answer did not read comes back into the message box', async () => {
  await openAnswer()
  network.reply = () => ACCEPTED
  void session.write('unread')
  await pass()
  network.more(rest)
  await pass()
  expect(session.chat.status).toBe('ready')
  expect(queued()).toEqual([])
  expect(session.state.get().returnedText).toBe('unread')
})

test('a reply to a question goes into the same answer, which is followed on', async () => {
  network.script = inOrder(
    () => questionAnswer('Which one?'),
    () => [...answerStart('Which one?'), chunk({ type: 'text-end', id: 't' }), steeringMessage(idOf(0), 'the green one'), ...rest],
  )
  void session.write('hi')
  await pass()
  expect(session.state.get().waiting).toBe('reply')
  network.reply = () => RESUMED
  void session.write('the green one')
  await pass()
  expect(network.frames.map((frame) => frame.type)).toEqual(['send', 'resume'])
  expect(read()).toEqual(['Which one?', '[the green one]'])
  expect(session.state.get()).toMatchObject({ waiting: null, connection: 'steady', queue: [], returnedText: '' })
})

const CONVERSATION = { id: 'c1', title: '', modelId: null, activeRun: true, waiting: null, messages: [], artifacts: [], hasMore: false }

test.each([
  ['goes on with the message instead', RESUMED, []],
  ['went on already, by a decision in another tab', ACCEPTED, ['/o/acme/api/conversations/c1/']],
])('an answer that asks for a decision %s', async (_, answer, reads) => {
  network.script = inOrder(
    () => approvalAnswer('c1'),
    () => [...answerStart('I need a tool.'), chunk({ type: 'text-end', id: 't' }), steeringMessage(idOf(0), 'and hurry'), ...rest],
  )
  void session.write('hi')
  await pass()
  network.bodies['/o/acme/api/conversations/c1/'] = CONVERSATION
  network.reply = () => answer
  void session.write('and hurry')
  await pass()
  expect(network.requested).toEqual(reads)
  expect(network.frames.map((frame) => frame.type)).toEqual(['send', 'resume'])
  expect(read().at(-1)).toBe('[and hurry]')
  expect(queued()).toEqual([])
})

test('a question that was settled elsewhere makes the reply a message of its own', async () => {
  network.script = inOrder(
    () => questionAnswer('Which one?'),
    () => completeAnswer('Hello'),
  )
  void session.write('hi')
  await pass()
  network.reply = () => OVER
  void session.write('the green one')
  await pass()
  expect(network.frames.map((frame) => frame.type)).toEqual(['send', 'send'])
  expect(session.chat.messages.filter((message) => message.role === 'user').map(textOf)).toEqual(['hi', 'the green one'])
})
