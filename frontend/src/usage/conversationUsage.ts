// What the open conversation used: its total, and its answers as far as they are on screen.
import { useEffect } from 'react'
import type { AnswerUsage, UsageSums } from '../api/generated'
import type { ChatMessage } from '../api/messageTypes'
import { createStore, useStore, type Store } from '../ui/store'
import { fetchConversationUsage } from './usageApi'

type UsedTokens = { readonly total: UsageSums | undefined; readonly answers: ReadonlyMap<string, AnswerUsage> }

const NONE: UsedTokens = { total: undefined, answers: new Map() }
/** The server's limit. */
const MAX_RUNS = 50

const stores = new Map<string, Store<UsedTokens>>()

function storeOf(conversationId: string): Store<UsedTokens> {
  const entry = stores.get(conversationId)
  if (entry) return entry
  const store = createStore(NONE)
  stores.set(conversationId, store)
  return store
}

export const useConversationUsage = (conversationId: string): UsedTokens => useStore(storeOf(conversationId))

async function load(conversationId: string, runIds: readonly string[]): Promise<void> {
  const store = storeOf(conversationId)
  const { total, answers } = await fetchConversationUsage(conversationId, runIds)
  store.set({ total, answers: new Map([...store.get().answers, ...answers.map((answer) => [answer.runId, answer] as const)]) })
}

/** Asks for the figures of the answers that have none yet. `rests`: nothing is being written, so what is stored is complete. */
export function useLoadUsage(conversationId: string, messages: readonly ChatMessage[], rests: boolean): void {
  const count = messages.length
  const last = messages.at(-1)?.id
  useEffect(() => {
    if (!rests || count === 0) return
    const { answers } = storeOf(conversationId).get()
    const missing = messages.flatMap(({ metadata }) => (metadata?.runId && !answers.has(metadata.runId) ? [metadata.runId] : []))
    if (missing.length) void load(conversationId, missing.slice(-MAX_RUNS)).catch(() => undefined) // the figures are an extra
    // Only a new message or the end of an answer changes them.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [conversationId, count, last, rests])
}
