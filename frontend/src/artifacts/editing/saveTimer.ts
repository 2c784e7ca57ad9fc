const IDLE_MS = 120_000
const MAX_SESSION_MS = 600_000
const QUIET_MS = 2_000
const MAX_AT_RISK_MS = 15_000
const RETRY_MS = 10_000

/** Decides when an edit becomes a version: after two minutes without a change, and at least every ten minutes. Until then the browser keeps it. */
export class SaveTimer {
  private timer: ReturnType<typeof setTimeout> | undefined
  private unsavedSince = 0

  constructor(private readonly save: () => void) {}

  /** What the server has is no longer the text on screen. */
  markUnsaved(): void {
    this.unsavedSince = Date.now()
  }

  afterChange(): void {
    this.start(this.within(IDLE_MS, MAX_SESSION_MS))
  }

  /** A save is complete, but the text has changed meanwhile. */
  afterSave(): void {
    this.markUnsaved()
    this.start(IDLE_MS)
  }

  /** The browser does not keep the draft, or its page is gone: after a pause in typing, and at least every 15 seconds. */
  soon(): void {
    this.start(this.within(QUIET_MS, MAX_AT_RISK_MS))
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

  private within(pauseMs: number, maxMs: number): number {
    return Math.min(pauseMs, Math.max(0, this.unsavedSince + maxMs - Date.now()))
  }

  private start(pauseMs: number): void {
    this.cancel()
    this.timer = setTimeout(this.save, pauseMs)
  }
}
