// The state of the page around the chat, and what the agent changes in it (SPEC 4.12).
import type { DynamicToolUIPart } from 'ai'
import { conversationsApi } from '../api/conversationsApi'
import type { ChatMessage } from '../api/messageTypes'
import { createStore } from '../ui/store'
import type { Session } from '../chat/session/session'
import { ask, onPageState } from './port'
import type { PageState, Written } from './protocol'

export const WRITE_TOOL = 'update_page_state'

export const pageState = createStore<PageState | null>(null)
/** Former values by call, for the way back. */
export const formerValues = createStore<Readonly<Record<string, PageState>>>({})

export const startPageState = (): void => onPageState((state) => pageState.set(state))

const asked = new Set<string>()

const isObject = (value: unknown): value is PageState => typeof value === 'object' && value !== null && !Array.isArray(value)

async function write(changes: PageState): Promise<Written> {
  const reply = await ask({ kind: 'write', changes })
  return isObject(reply) && Array.isArray(reply.written) ? (reply as unknown as Written) : { written: [], ignored: Object.keys(changes), former: {} }
}

/** The calls that wait for the page, in an answer that waits for it. */
const openWrites = (message: ChatMessage | undefined): readonly DynamicToolUIPart[] =>
  (message?.parts ?? []).filter((part): part is DynamicToolUIPart => part.type === 'dynamic-tool' && part.toolName === WRITE_TOOL && part.state === 'input-available')

/** Lets the page carry out what the answer waits for, and tells the server what came of it. Each call is carried out once. */
export async function carryOut(session: Session, message: ChatMessage | undefined): Promise<void> {
  const calls = openWrites(message).filter((part) => !asked.has(part.toolCallId))
  for (const { toolCallId, input } of calls) {
    asked.add(toolCallId)
    const { written, ignored, former } = await write(isObject(input) ? input : {})
    if (written.length) formerValues.set({ ...formerValues.get(), [toolCallId]: former })
    await conversationsApi.giveToolOutput(session.id, toolCallId, { written, ignored }).catch(() => undefined) // answered elsewhere, or over
  }
  if (calls.length) await session.reload()
}

/** Gives the page back what a call has changed. */
export async function undo(callId: string): Promise<void> {
  const former = formerValues.get()[callId]
  if (!former) return
  await write(former)
  const { [callId]: _, ...others } = formerValues.get()
  formerValues.set(others)
}
