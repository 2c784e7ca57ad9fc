// The state of the page around the chat, and what the agent changes in it (SPEC 4.12).
import type { DynamicToolUIPart } from 'ai'
import { createStore } from '../ui/store'
import { ask, onPageState } from './port'
import { isObject, type PageState, type WriteResult } from './protocol'

export const WRITE_TOOL = 'update_page_state'

export const pageState = createStore<PageState | null>(null)
/** Former values by call, for the way back. */
export const formerValues = createStore<Readonly<Record<string, PageState>>>({})

export const startPageState = (): void => onPageState((state) => pageState.set(state))

async function write(changes: PageState): Promise<WriteResult> {
  const reply = await ask({ kind: 'write', changes })
  return isObject(reply) && Array.isArray(reply.written) ? (reply as unknown as WriteResult) : { written: [], ignored: Object.keys(changes), former: {} }
}

/** Lets the page write what a call wants changed. Returns which keys it wrote and ignored. */
export async function writeState({ toolCallId, input }: DynamicToolUIPart): Promise<Omit<WriteResult, 'former'>> {
  const { written, ignored, former } = await write(isObject(input) ? input : {})
  if (written.length) formerValues.set({ ...formerValues.get(), [toolCallId]: former })
  return { written, ignored }
}

/** Gives the page back what a call has changed. */
export async function undo(callId: string): Promise<void> {
  const former = formerValues.get()[callId]
  if (!former) return
  await write(former)
  const { [callId]: _, ...others } = formerValues.get()
  formerValues.set(others)
}
