/** Edits are loaded with the panel. Until then there is nothing to save. */
export const unsavedEdits: { save: () => readonly Promise<unknown>[] } = { save: () => [] }

const MAX_WAIT_MS = 1_500

/** Saves what the member typed in documents, so that an agent reads it. Null: there is nothing to wait for. A server that hangs holds no message up. */
export function saveUnsavedEdits(): Promise<unknown> | null {
  const saves = unsavedEdits.save()
  return saves.length ? Promise.race([Promise.allSettled(saves), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]) : null
}
