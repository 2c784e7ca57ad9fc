// Tells the page around the chat the title that a model writes in the background after the first answer.
import type { VisitorTitle } from '../api/generated'
import { emit } from './port'

/** How the server begins the frame of a title. Frames of answers come by the hundred, so they are not parsed here. */
const BEGINNING = '{"type":"title",'

const titledIds = new Set<string>()

/** A conversation of an earlier visit: its title is no news. */
export const titleIsKnown = (conversationId: string): void => void titledIds.add(conversationId)

/** `text`: a frame of the socket, of any kind. A title is told once: a new socket hears it again. */
export function tellTitle(text: string): void {
  if (!text.startsWith(BEGINNING)) return
  const { conversationId, title } = JSON.parse(text) as VisitorTitle
  if (titledIds.has(conversationId)) return
  titledIds.add(conversationId)
  emit('title-generated', { id: conversationId, title })
}
