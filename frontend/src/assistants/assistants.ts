// Assistants: agents that an admin offers. This module knows which there are for this member; the chat agent itself is none of them.
import { boot } from '../api/boot'
import { request } from '../api/client'
import type { AssistantItem, AssistantList } from '../api/generated'
import { createStore, useStore } from '../ui/store'

const assistants = createStore<readonly AssistantItem[]>(boot.assistants)

export const useAssistants = (): readonly AssistantItem[] => useStore(assistants)

/** Read them again: an admin may have changed them since this page was loaded. */
export async function refreshAssistants(): Promise<void> {
  try {
    assistants.set((await request<AssistantList>('GET', 'assistants/')).items)
  } catch {
    // What is known stays.
  }
}
