import { boot } from '../api/boot'
import { request } from '../api/client'
import type { Me } from '../api/generated'
import { createStore, useStore } from '../ui/store'
import { useAssistants } from './assistants'

const chosen = createStore(boot.defaultAssistant)

/** The key of the assistant with which new chats begin; '' is the chat agent, also where the chosen one is gone. */
export function useDefaultAssistant(): string {
  const key = useStore(chosen)
  return useAssistants().some((assistant) => assistant.key === key) ? key : ''
}

/** Rejects when the server does not keep the choice. */
export async function chooseDefaultAssistant(key: string): Promise<void> {
  const before = chosen.get()
  chosen.set(key)
  try {
    await request<Me>('PATCH', 'me/', { defaultAssistant: key })
  } catch (error) {
    chosen.set(before)
    throw error
  }
}
