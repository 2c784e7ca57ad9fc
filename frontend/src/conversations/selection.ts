// Several conversations that are chosen in a list, for one act on all of them.
import { createStore, useStore } from '../ui/store'

/** Ids; null while nothing is being chosen. */
const selection = createStore<ReadonlySet<string> | null>(null)

export const useSelection = (): ReadonlySet<string> | null => useStore(selection)
export const startSelection = (id?: string): void => selection.set(new Set(id ? [id] : []))
export const endSelection = (): void => selection.set(null)

export function toggleSelected(id: string): void {
  const next = new Set(selection.get())
  if (!next.delete(id)) next.add(id)
  selection.set(next)
}

/** The server takes so many at once. */
export const MOST_SELECTED = 100
