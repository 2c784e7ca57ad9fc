import { showToast } from '../../ui/toasts'
import { artifactsApi } from '../artifactsApi'
import type { Editing } from '../editing/editing'
import { attempt, savedHere, suggestionsDecided } from '../store'

/** Decide on suggestions. What was typed is saved first, so that the server applies them to the text on the screen. */
export async function decide(editing: Editing, ids: readonly string[] | 'all', decision: 'accept' | 'reject'): Promise<void> {
  const { id } = editing
  if (!(await editing.save())) return showToast(editing.state.get().reason || 'Your changes have to be saved first.')
  await attempt(async () => {
    const { version, content, suggestions } = await artifactsApi.decide(id, ids, decision)
    suggestionsDecided(suggestions)
    savedHere(id, { version, content })
    await editing.replaced({ version, content })
  })
}
