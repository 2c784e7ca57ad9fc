// The agent's calls that the page around the chat carries out: changes of its state, and its own tools.
import type { DynamicToolUIPart } from 'ai'
import { conversationsApi } from '../api/conversationsApi'
import type { ChatMessage } from '../api/messageTypes'
import type { Session } from '../chat/session/session'
import { WRITE_TOOL, writeState } from './pageState'
import { callPage, pageTools } from './pageTools'
import type { ToolReply } from './protocol'

const callIds = new Set<string>()

const isByClient = ({ toolMetadata }: DynamicToolUIPart): boolean => toolMetadata?.byClient === true

/** Whether this page carries it out. A call of a tool that it has not registered yet, or that another page has, goes on waiting. */
const isOurs = (part: DynamicToolUIPart): boolean => part.toolName === WRITE_TOOL || (isByClient(part) && pageTools.get().includes(part.toolName))

const openCalls = (message: ChatMessage): readonly DynamicToolUIPart[] =>
  message.parts.filter((part): part is DynamicToolUIPart => part.type === 'dynamic-tool' && part.state === 'input-available' && isOurs(part) && !callIds.has(part.toolCallId))

/** Lets the page carry out what the answer waits for, and tells the server what came of it. Each call is carried out once. */
export async function carryOut(session: Session, message: ChatMessage): Promise<void> {
  const calls = openCalls(message)
  for (const part of calls) callIds.add(part.toolCallId)
  for (const part of calls) await (part.toolName === WRITE_TOOL ? give(session, part, { output: await writeState(part) }) : callInOneTab(session, part))
  if (calls.length) await session.reload()
}

/** Another tab with the same conversation may have the tool, too: the first one calls it, and the others wait for what comes of it. */
async function callInOneTab(session: Session, part: DynamicToolUIPart): Promise<void> {
  const lock = `parley-call-${part.toolCallId}`
  const isHere = await navigator.locks.request(lock, { ifAvailable: true }, async (grant) => {
    if (!grant) return false
    const reply = await callPage(part)
    if (reply) await give(session, part, reply)
    return true
  })
  if (!isHere) await navigator.locks.request(lock, () => undefined)
}

async function give(session: Session, { toolCallId }: DynamicToolUIPart, reply: ToolReply): Promise<void> {
  await conversationsApi.giveToolOutput(session.id, toolCallId, reply).catch(() => undefined) // answered elsewhere, or over
}
