import type { Store } from '../../ui/store'
import { MAX_ATTEMPTS, pauseMs } from './recovery'
import type { SessionState } from './state'

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

  /** The stream moved on: the next break has all attempts ahead. */
  reset(): void {
    this.attempt = 0
  }

  cancel(): void {
    clearTimeout(this.timer)
  }

  private start(pause: number): void {
    this.cancel()
    this.state.patch({ connection: 'reconnecting' })
    this.attempt++
    this.timer = setTimeout(() => void this.retry(this.step), pause)
  }
}
