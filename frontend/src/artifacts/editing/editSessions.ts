import { useSyncExternalStore } from 'react'
import type { ArtifactEntry } from '../entries'
import { recordSavedVersion } from '../store'
import { unsavedEdits } from '../unsavedEdits'
import { recoverAbandonedDrafts } from './draft'
import { EditSession } from './editSession'
import type { EditState } from './editState'

const sessions = new Map<string, EditSession>()

/** The edit session of an artifact whose newest text is loaded. It recovers what was typed before a reload or in a closed tab. */
export function editSessionOf({ id, latest, contents }: ArtifactEntry): EditSession | undefined {
  const session = sessions.get(id)
  const text = latest === null ? undefined : contents[latest]
  if (session || latest === null || text === undefined) return session
  const editing = new EditSession(id, latest, text, (version) => recordSavedVersion(id, version))
  sessions.set(id, editing)
  recoverAbandonedDrafts(id, (draft) => editing.applyDraft(draft))
  return editing
}

const neverChanges = () => () => undefined
const nothing = () => undefined

export const useEditState = (editing: EditSession | undefined): EditState | undefined =>
  useSyncExternalStore<EditState | undefined>(editing?.state.subscribe ?? neverChanges, editing?.state.get ?? nothing)

unsavedEdits.save = () => [...sessions.values()].filter((editing) => editing.isUnsaved).map((editing) => editing.save())
unsavedEdits.saveOne = async (id) => {
  const editing = sessions.get(id)
  return !editing?.isUnsaved || (await editing.save()) ? '' : editing.unsavedReason
}

addEventListener('pagehide', () => sessions.forEach((editing) => editing.leave()))
addEventListener('visibilitychange', () => document.hidden && sessions.forEach((editing) => editing.hide()))
addEventListener('beforeunload', (event) => {
  sessions.forEach((editing) => editing.keepDraft())
  if ([...sessions.values()].some((editing) => editing.isAtRisk)) event.preventDefault() // the browser asks
})
addEventListener('online', () => sessions.forEach((editing) => ['failed', 'offline'].includes(editing.state.get().save) && void editing.save()))
