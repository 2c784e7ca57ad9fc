const QUIET_MS = 2_000
const MAX_UNSAVED_MS = 15_000
const RETRY_MS = 10_000

/** Decides when to save: after a pause in typing, and at least every 15 seconds. */
export class SaveTimer {
  private timer: ReturnType<typeof setTimeout> | undefined
  private unsavedSince = 0

  constructor(private readonly save: () => void) {}

  /** What the server has is no longer the text on screen. */
  markUnsaved(): void {
    this.unsavedSince = Date.now()
  }

  afterChange(): void {
    this.start(Math.min(QUIET_MS, Math.max(0, this.unsavedSince + MAX_UNSAVED_MS - Date.now())))
  }

  /** A save is complete, but the text has changed meanwhile. */
  afterSave(): void {
    this.markUnsaved()
    this.start(QUIET_MS)
  }

  afterFailure(): void {
    this.start(RETRY_MS)
  }

  now(): void {
    this.start(0)
  }

  cancel(): void {
    clearTimeout(this.timer)
  }

  private start(pauseMs: number): void {
    this.cancel()
    this.timer = setTimeout(this.save, pauseMs)
  }
}
