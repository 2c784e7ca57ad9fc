import { t } from '@lingui/core/macro'
import { artifactsApi } from '../artifactsApi'
import type { EditSession } from '../editing/editSession'
import type { TextSelection } from '../editor/selectionButton'
import type { Proposal } from './PatchReview'

/** Saves the text, then asks an agent to rewrite the selection. Throws an Error with a sentence for the user if the text has changed since it was selected. */
export async function requestPatch(editing: EditSession, { start, end, of }: TextSelection, instruction: string): Promise<Proposal> {
  if (!(await editing.save())) throw new Error(editing.unsavedReason)
  const { base, text } = editing.state.get()
  if (text !== of) throw new Error(t`The text has changed meanwhile. Choose the part again.`)
  const { replacement } = await artifactsApi.patch(editing.id, { base, start, end, instruction })
  return { base, start, end, before: text, after: text.slice(0, start) + replacement + text.slice(end) }
}
