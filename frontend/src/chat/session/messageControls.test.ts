import { afterEach, beforeEach, expect, test } from 'vitest'
import { completeAnswer, type FakeNetwork } from '../../testing/fakeNetwork'
import { closePage, CONVERSATION_PATH, inOrder, openSession, pass, storedConversation } from '../../testing/openSession'
import { textOf } from '../messageText'
import { stableId } from '../stableId'
import type { Session } from './session'

let network: FakeNetwork
let session: Session

beforeEach(async () => {
  ;({ network, session } = await openSession())
  network.script = inOrder(
    () => completeAnswer('One'),
    () => completeAnswer('Two'),
  )
  void session.send('Green tea?')
  await pass()
})

afterEach(closePage)

const texts = () => session.chat.messages.map(textOf)

test('an edited question takes the place of the first one and what followed it', async () => {
  const question = session.chat.messages[0]!
  void session.messages.edit(question, 'Black tea?', [])
  await pass()
  const frame = network.frames.at(-1) as { messages?: { id: string }[] }
  expect(frame.messages?.[0]?.id).toBe(question.id)
  expect(texts()).toEqual(['Black tea?', 'Two'])
})

test('after a new branch the page reads what is beside it', async () => {
  const conversation = storedConversation('Two')
  network.bodies = { [CONVERSATION_PATH]: { ...conversation, messages: conversation.messages.map((one) => ({ ...one, metadata: { siblings: ['a0', one.id] } })) } }
  void session.messages.regenerate()
  await pass()
  expect(session.chat.lastMessage?.metadata?.siblings).toEqual(['a0', 'a1'])
})

test('another branch that was chosen elsewhere is read', async () => {
  network.bodies = { [CONVERSATION_PATH]: storedConversation('The other branch') }
  session.handleAnnouncement({ activeRun: false, waiting: null, headId: 'a7' })
  await pass()
  expect(texts().at(-1)).toBe('The other branch')
})

test('an announcement of the branch on screen reads nothing', async () => {
  network.bodies = { [CONVERSATION_PATH]: storedConversation('The other branch') }
  session.handleAnnouncement({ activeRun: false, waiting: null, headId: session.chat.lastMessage!.id })
  await pass()
  expect(texts()).toEqual(['Green tea?', 'One'])
})

test('a question stays open for editing when the stored one, with another id, takes its place', async () => {
  session.messages.openNewest()
  const questionId = session.chat.messages[0]!.id
  const conversation = storedConversation('One')
  network.bodies = { [CONVERSATION_PATH]: { ...conversation, messages: conversation.messages.map((one) => (one.role === 'user' ? { ...one, id: 'q7', metadata: { clientId: questionId } } : one)) } }
  await session.reload()
  expect(session.chat.messages[0]!.id).toBe('q7')
  expect(stableId(session.chat.messages[0]!)).toBe(session.state.get().editingId)
})
