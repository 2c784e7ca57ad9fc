import { t } from '@lingui/core/macro'
import { canWrite } from '../api/boot'
import { DESKTOP, mediaMatches } from '../browser/useMedia'
import { sessionOf } from '../chat/session/sessions'
import { showToast } from '../ui/toasts'
import type { DisplayedDocument } from './viewProps'
import { closePanel } from './store'

const FENCE = '```'

/**
 * Returns a function that asks the agent of the conversation to fix an error. Undefined for members who only read, and for another member's program.
 * Unsaved text is saved first, because the agent sees only what is saved. The function's result is whether the agent was asked; otherwise the user was told why.
 */
export function fixHandler({ entry, editing, conversationId }: DisplayedDocument): ((error: string) => Promise<boolean>) | undefined {
  const refuse = (reason: string) => {
    showToast(reason)
    return false
  }
  const ask = async (error: string) => {
    if (editing && !(await editing.save())) return refuse(editing.unsavedReason)
    const session = sessionOf(conversationId)
    if (session.state.get().connection === 'lost') return refuse(t`The chat has lost its connection. Try again there first.`)
    if (!mediaMatches(DESKTOP)) closePanel()
    const { title } = entry
    const request = t`Fix this error in ${title}:`
    void session.write(`${request}\n\n${FENCE}\n${error.trimEnd()}\n${FENCE}`, false)
    return true
  }
  return canWrite && entry.isOwn ? ask : undefined
}
