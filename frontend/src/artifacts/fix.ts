import { canWrite } from '../app/boot'
import { sessionOf } from '../chat/sessions'
import { DESKTOP, mediaMatches } from '../ui/useMedia'
import type { ShownDocument } from './document'
import { closePanel } from './store'

const FENCE = '```'

/** Asks the agent of the conversation to mend what does not work, in the error's own words and about the text that it can see; undefined for readers. */
export function fixOf({ entry, editing, conversationId }: ShownDocument): ((error: string) => void) | undefined {
  const ask = async (error: string) => {
    await editing?.save()
    if (!mediaMatches(DESKTOP)) closePanel()
    await sessionOf(conversationId).write(`Fix this error in ${entry.title}:\n\n${FENCE}\n${error.trimEnd()}\n${FENCE}`)
  }
  return canWrite ? (error) => void ask(error) : undefined
}
