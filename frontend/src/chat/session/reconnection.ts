import type { Store } from '../../ui/store'
import { MAX_ATTEMPTS, pauseMs } from './recovery'
import type { SessionState } from './sessionState'

export type RetryStep = 'resume' | 'resend'

/** Repeats a broken request after growing pauses. After the last attempt the connection counts as lost, and the user decides. */
export class Reconnection {
  private attempt = 0
  private step: RetryStep = 'resume'
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly state: Store<SessionState>,
    private readonly retry: (step: RetryStep) => Promise<void>,
  ) {}

  /** `error`: what broke the request. */
  schedule(step: RetryStep, error?: Error): void {
    this.step = step
    if (this.attempt >= MAX_ATTEMPTS) {
      this.cancel()
      this.state.patch({ connection: 'lost', stopping: false })
    } else this.start(pauseMs(this.attempt, error))
  }

  /** Try at once, with all attempts ahead. */
  retryNow(): void {
    this.attempt = 0
    this.start(0)
  }

  /** Somebody looks at the page, or the server can be reached again: an attempt that is still to come is made at once. */
  hurry(): void {
    if (this.timer !== undefined) this.retryNow()
  }

  /** The stream moved on: the next break has all attempts ahead. */
  reset(): void {
    this.attempt = 0
  }

  cancel(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private start(pause: number): void {
    this.cancel()
    this.state.patch({ connection: 'reconnecting' })
    this.attempt++
    this.timer = setTimeout(() => {
      this.timer = undefined
      void this.retry(this.step)
    }, pause)
  }
}
