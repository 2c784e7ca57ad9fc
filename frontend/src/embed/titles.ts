// Tells the page around the chat the title that a model writes in the background after the first answer.
import { request } from '../api/client'
import type { VisitorTitle } from '../api/generated'
import { emit } from './port'

/** When the title is asked for, in seconds after what came before. Models need a second or two. */
const ASKED_AFTER_S = [1, 2, 4, 8, 16, 32, 64]

const known = new Set<string>()

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** A conversation of an earlier visit: its title is no news. */
export const titleIsKnown = (conversationId: string): void => void known.add(conversationId)

/** Once for each conversation, after the first answer that is completed here. */
export async function tellTitle(conversationId: string): Promise<void> {
  if (known.has(conversationId)) return
  known.add(conversationId)
  for (const seconds of ASKED_AFTER_S) {
    await pause(seconds)
    const found = await request<VisitorTitle>('GET', `conversations/${conversationId}/title/`).catch(() => null)
    if (found?.title) return emit('title-generated', { id: conversationId, title: found.title })
  }
}
