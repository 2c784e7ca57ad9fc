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

/** What is looked for when a text asks for an assistant: what follows its @. Null: it doesn't ask. */
export const mentionQuery = (text: string): string | null => (/^@[^@/\n]{0,40}$/.test(text) ? text.slice(1).trim().toLowerCase() : null)

/** Those with the words in their name, or else in their description; the ones that begin with them first. */
export function matchingAssistants<A extends { readonly name: string; readonly description: string }>(all: readonly A[], query: string): readonly A[] {
  const place = ({ name, description }: A): number => {
    const at = name.toLowerCase().indexOf(query)
    if (at >= 0) return at > 0 ? 1 : 0
    return description.toLowerCase().includes(query) ? 2 : -1
  }
  return all.filter((each) => place(each) >= 0).toSorted((a, b) => place(a) - place(b))
}
