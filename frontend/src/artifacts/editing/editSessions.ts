import { useSyncExternalStore } from 'react'
import type { ArtifactEntry } from '../entries'
import { recordSavedVersion } from '../store'
import { recoverAbandonedDrafts } from './draft'
import { EditSession, type EditState } from './editSession'

const editings = new Map<string, EditSession>()

/** The edit of an artifact whose newest text is known; what was typed before a reload, or in a tab that is gone, comes back to it. */
export function editSessionOf({ id, latest, contents }: ArtifactEntry): EditSession | undefined {
  const known = editings.get(id)
  const text = latest === null ? undefined : contents[latest]
  if (known || latest === null || text === undefined) return known
  const editing = new EditSession(id, latest, text, (saved) => recordSavedVersion(id, saved))
  editings.set(id, editing)
  recoverAbandonedDrafts(id, (draft) => editing.takeUp(draft))
  return editing
}

const never = () => () => undefined
const nothing = () => undefined

export const useEditState = (editing: EditSession | undefined): EditState | undefined =>
  useSyncExternalStore<EditState | undefined>(editing?.state.subscribe ?? never, editing?.state.get ?? nothing)

addEventListener('pagehide', () => editings.forEach((editing) => editing.keepDraft()))
addEventListener('online', () => editings.forEach((editing) => editing.state.get().save === 'failed' && void editing.save()))
