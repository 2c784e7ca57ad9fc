import { deleteDraft, storeDraft, type Draft } from './draft'

const STORE_AFTER_MS = 300

/** Stores the unsaved text of an artifact in the browser, and deletes it once it is saved. */
export class DraftKeeper {
  private timer: ReturnType<typeof setTimeout> | undefined
  private hasDraft = false

  /** `unsavedDraft`: null when everything is saved. `onStored`: told whether the browser had room for the draft. */
  constructor(
    private readonly artifactId: string,
    private readonly unsavedDraft: () => Draft | null,
    private readonly onStored: (isKept: boolean) => void,
  ) {}

  /** Storing at every key would be slow. Keys that never rest are stored all the same. */
  updateSoon(): void {
    this.timer ??= setTimeout(() => this.update(), STORE_AFTER_MS)
  }

  update(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const draft = this.unsavedDraft()
    if (draft) this.onStored(storeDraft(this.artifactId, draft))
    if (!draft && this.hasDraft) deleteDraft(this.artifactId)
    this.hasDraft = draft !== null
  }
}
