import { showToast } from '../../ui/toasts'
import { artifactsApi } from '../artifactsApi'
import type { EditSession } from '../editing/editSession'
import { tryOrToast, recordSavedVersion, recordDecisions } from '../store'

/** Accepts or rejects suggestions. Unsaved text is saved first, so that the server applies them to the text on screen. */
export async function decideSuggestions(editing: EditSession, ids: readonly string[] | 'all', decision: 'accept' | 'reject'): Promise<void> {
  const { id } = editing
  if (!(await editing.save())) return showToast(editing.unsavedReason)
  await tryOrToast(async () => {
    const { version, content, suggestions } = await artifactsApi.decide(id, ids, decision)
    recordDecisions(suggestions)
    recordSavedVersion(id, { version, content })
    await editing.rebaseOnto({ version, content })
  })
}
