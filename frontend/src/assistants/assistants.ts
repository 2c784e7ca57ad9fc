// Assistants: agents that an admin offers. This module knows which there are for this member; the chat agent itself is none of them.
import { boot } from '../api/boot'
import { request } from '../api/client'
import type { AssistantItem, AssistantList } from '../api/generated'
import { readStored, writeStored } from '../browser/storage'
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

const USES = `assistant-uses:${boot.organization.slug}`

/** How many chats began with each assistant in this browser, by its key. */
function uses(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readStored(USES) ?? '{}') as Record<string, number>
  } catch {
    return {}
  }
}

export function countUse(key: string): void {
  const before = uses()
  if (key) writeStored(USES, JSON.stringify({ ...before, [key]: (before[key] ?? 0) + 1 }))
}

/** The most used ones first, the others in the admin's order. */
export function byUse(all: readonly AssistantItem[]): readonly AssistantItem[] {
  const counts = uses()
  return all.toSorted((a, b) => (counts[b.key] ?? 0) - (counts[a.key] ?? 0))
}
