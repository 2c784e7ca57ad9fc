/** Counts down the time that a program may run. Waiting for the member's input does not count. */
export class RunClock {
  private timer: ReturnType<typeof setTimeout> | undefined
  private remainingMs = 0
  private resumedAt = 0

  constructor(private readonly onExpired: () => void) {}

  start(ms: number): void {
    this.remainingMs = ms
    this.resume()
  }

  pause(): void {
    this.clear()
    this.remainingMs -= performance.now() - this.resumedAt
  }

  resume(): void {
    this.resumedAt = performance.now()
    this.clear()
    this.timer = setTimeout(this.onExpired, this.remainingMs)
  }

  clear(): void {
    clearTimeout(this.timer)
  }
}
