type Saves = {
  /** What is unsaved in any document. */
  save(): readonly Promise<unknown>[]
  /** Waits for the server's answer. Returns why what is typed in this document is not saved as a sentence, or nothing. */
  saveOne(id: string): Promise<string>
}

/** Edits are loaded with the panel. Until then there is nothing to save. */
export const unsavedEdits: Saves = { save: () => [], saveOne: () => Promise.resolve('') }

const MAX_WAIT_MS = 1_500

/** Saves what the member typed in documents, so that an agent reads it. Null: there is nothing to wait for. A server that hangs holds no message up. */
export function saveUnsavedEdits(): Promise<unknown> | null {
  const saves = unsavedEdits.save()
  return saves.length ? Promise.race([Promise.allSettled(saves), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]) : null
}
