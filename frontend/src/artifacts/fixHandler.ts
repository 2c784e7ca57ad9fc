import { canWrite } from '../api/boot'
import { sessionOf } from '../chat/session/sessions'
import { showToast } from '../ui/toasts'
import { DESKTOP, mediaMatches } from '../browser/useMedia'
import type { DisplayedDocument } from './displayedDocument'
import { closePanel } from './store'

const FENCE = '```'

/** Asks the agent of the conversation to mend what does not work, in the error's own words and about the text that it can see, or says why not; undefined for readers. */
export function fixHandler({ entry, editing, conversationId }: DisplayedDocument): ((error: string) => void) | undefined {
  const ask = async (error: string) => {
    if (editing && !(await editing.save())) return showToast(editing.unsavedReason)
    const session = sessionOf(conversationId)
    if (session.state.get().connection === 'lost') return showToast('The chat has lost its connection. Try again there first.')
    if (!mediaMatches(DESKTOP)) closePanel()
    await session.write(`Fix this error in ${entry.title}:\n\n${FENCE}\n${error.trimEnd()}\n${FENCE}`, false)
  }
  return canWrite ? (error) => void ask(error) : undefined
}
