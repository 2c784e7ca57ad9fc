import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chunk, decidedAnswer, type FakeNetwork, approvalAnswer, type Answer, type Script } from '../../testing/fakeNetwork'
import { closePage, inOrder, openSession, pass } from '../../testing/openSession'
import type { Session } from './session'

let network: FakeNetwork
let session: Session

beforeEach(async () => {
  ;({ network, session } = await openSession())
})

afterEach(closePage)

const kinds = () => network.frames.map((frame) => frame.type)
const calls = () => session.chat.lastMessage!.parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []))

const isFinishStep = (answer: Answer): boolean => typeof answer === 'object' && 'chunk' in answer && answer.chunk.type === 'finish-step'

async function ask(...scripts: Script[]): Promise<void> {
  network.script = inOrder(...scripts)
  void session.write('hi')
  await pass()
  expect(session.state.get().waiting).toBe('approval')
}

test('a call that asks pauses the answer; allowed, it goes on', async () => {
  await ask(
    () => approvalAnswer('c1'),
    () => decidedAnswer('c1', true),
  )
  expect(calls()).toMatchObject([{ state: 'approval-requested', approval: { id: 'approval-c1' } }])
  network.reply = () => [202, { runId: 'r1', resumed: true }]
  await session.decide('approval-c1', true)
  await pass()
  expect(network.posts).toEqual([{ path: '/o/acme/api/conversations/c1/approvals/approval-c1/', body: { approved: true } }])
  expect(kinds()).toEqual(['send', 'resume'])
  expect(calls()).toMatchObject([{ state: 'output-available', approval: { approved: true } }])
  expect(session.state.get().waiting).toBeNull()
})

test('a refused call keeps its reason', async () => {
  await ask(
    () => approvalAnswer('c1'),
    () => decidedAnswer('c1', false, 'not now'),
  )
  network.reply = () => [202, { runId: 'r1', resumed: true }]
  await session.decide('approval-c1', false, 'not now')
  await pass()
  expect(network.posts[0]?.body).toEqual({ approved: false, reason: 'not now' })
  expect(calls()).toMatchObject([{ state: 'output-denied', approval: { approved: false, reason: 'not now' } }])
})

test('a decision is shown at once, and the answer pauses again for the next one', async () => {
  await ask(
    () => approvalAnswer('c1', 'c2'),
    () => approvalAnswer('c1', 'c2').flatMap((answer) => (isFinishStep(answer) ? [chunk({ type: 'tool-output-denied', toolCallId: 'c1' }), answer] : [answer])),
  )
  network.reply = () => [202, { runId: 'r1', resumed: true }]
  const decision = session.decide('approval-c1', false)
  await decision
  expect(calls().map((call) => call.state)).toEqual(['approval-responded', 'approval-requested'])
  await pass()
  expect(kinds()).toEqual(['send', 'resume'])
  expect(calls().map((call) => call.state)).toEqual(['output-denied', 'approval-requested'])
  expect(session.state.get().waiting).toBe('approval')
})

test('a decision that does not arrive is an error for the one who decides', async () => {
  await ask(() => approvalAnswer('c1'))
  network.reply = () => 'offline'
  await expect(session.decide('approval-c1', true)).rejects.toThrow('cannot be reached')
  expect(calls().map((call) => call.state)).toEqual(['approval-requested'])
})

test('what was decided elsewhere is read', async () => {
  await ask(() => approvalAnswer('c1'))
  const messages = [{ id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Decided.' }] }]
  network.bodies['/o/acme/api/conversations/c1/'] = { id: 'c1', title: '', modelId: null, activeRun: false, waiting: null, messages, artifacts: [], hasMore: false }
  network.reply = () => [409, { error: { code: 'already_decided', message: 'This was decided already.' } }]
  await session.decide('approval-c1', true)
  await pass()
  expect(session.chat.lastMessage?.parts).toEqual([{ type: 'text', text: 'Decided.' }])
  expect(session.state.get().waiting).toBeNull()
})

test('a decision in another tab is followed here', async () => {
  await ask(
    () => approvalAnswer('c1'),
    () => decidedAnswer('c1', true),
  )
  network.bodies['/o/acme/api/conversations/c1/'] = { id: 'c1', title: '', modelId: null, activeRun: true, waiting: null, messages: [], artifacts: [], hasMore: false }
  session.handleAnnouncement({ activeRun: true, waiting: null, headId: 'a1' })
  await pass()
  expect(kinds()).toEqual(['send', 'resume'])
  expect(calls()).toMatchObject([{ state: 'output-available' }])
})

test('stop ends the wait', async () => {
  await ask(() => approvalAnswer('c1'))
  network.bodies['/o/acme/api/conversations/c1/'] = { id: 'c1', title: '', modelId: null, activeRun: false, waiting: null, messages: [], artifacts: [], hasMore: false }
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => (init.method === 'POST' ? Response.json({ stopping: true }, { status: 202 }) : Response.json(network.bodies[path])))
  await session.stop()
  expect(session.state.get()).toMatchObject({ waiting: null, stopping: false, connection: 'steady' })
})

test('a read of the conversation that is older than a decision changes nothing', async () => {
  await ask(
    () => approvalAnswer('c1'),
    () => decidedAnswer('c1', true),
  )
  let arrive = (_: object): void => undefined
  network.bodies['/o/acme/api/conversations/c1/'] = new Promise<object>((resolve) => (arrive = resolve))
  session.handleAnnouncement({ activeRun: false, waiting: 'approval', headId: 'a1' })
  network.reply = () => [202, { runId: 'r1', resumed: true }]
  await session.decide('approval-c1', true)
  await pass()
  arrive({ id: 'c1', title: '', modelId: null, activeRun: false, waiting: 'approval', messages: [], artifacts: [], hasMore: false })
  await pass()
  expect(session.state.get().waiting).toBeNull()
  expect(calls()).toMatchObject([{ state: 'output-available' }])
})
