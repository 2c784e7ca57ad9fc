import { useSyncExternalStore } from 'react'
import type { Entry } from '../entries'
import { savedHere } from '../store'
import { takeLeftBehind } from './draft'
import { Editing, type EditingState } from './editing'

const editings = new Map<string, Editing>()

/** The edit of an artifact whose newest text is known; what was typed before a reload, or in a tab that is gone, comes back to it. */
export function editingOf({ id, latest, contents }: Entry): Editing | undefined {
  const known = editings.get(id)
  const text = latest === null ? undefined : contents[latest]
  if (known || latest === null || text === undefined) return known
  const editing = new Editing(id, latest, text, (saved) => savedHere(id, saved))
  editings.set(id, editing)
  takeLeftBehind(id, (draft) => editing.takeUp(draft))
  return editing
}

const never = () => () => undefined
const nothing = () => undefined

export const useEditingState = (editing: Editing | undefined): EditingState | undefined =>
  useSyncExternalStore<EditingState | undefined>(editing?.state.subscribe ?? never, editing?.state.get ?? nothing)

addEventListener('pagehide', () => editings.forEach((editing) => editing.keepDraft()))
addEventListener('online', () => editings.forEach((editing) => editing.state.get().save === 'failed' && void editing.save()))
