// What was typed and not saved survives a reload.
import { readDraft, writeDraft } from '../../chat/drafts'

/** A text and the number of the version it was made from. */
export type Draft = { readonly base: number; readonly text: string }

const key = (id: string): string => `artifact:${id}`

export function readEdit(id: string): Draft | null {
  try {
    const draft = JSON.parse(readDraft(key(id)) || 'null') as Draft | null
    return typeof draft?.base === 'number' && typeof draft.text === 'string' ? draft : null
  } catch {
    return null
  }
}

export const writeEdit = (id: string, draft: Draft): void => writeDraft(key(id), JSON.stringify(draft))

/** Forget `draft`, but not what another tab has put in its place. */
export function forgetEdit(id: string, draft: Draft): void {
  const stored = readEdit(id)
  if (stored?.base === draft.base && stored.text === draft.text) writeDraft(key(id), '')
}
