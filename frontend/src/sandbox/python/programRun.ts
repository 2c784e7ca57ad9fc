import { MAX_PROGRAM_S } from './limits'
import type { FromFrame, Outcome, StopReason } from './messages'
import { createBatch } from './outputs'
import type { PythonWorker, WorkerMessage } from './pythonWorker'
import { RunClock } from './runClock'

/** A worker that has not read the stop by then is busy with Python. */
const BUSY_MS = 150
/** How long a program may take to end by itself after an interrupt; then its worker is replaced. */
const GRACE_MS = 400

/** The program that runs, or waits for Python to start: its limits, and its way to an end. */
export class ProgramRun {
  /** A program that came before Python was ready. */
  private queued: { readonly code: string; readonly dark: boolean } | undefined
  private isRunning = false
  private startedAt = 0
  private asksForInput = false
  /** Why the program was told to stop; empty: it was not. */
  private stopReason: StopReason | '' = ''
  private stopTimer: ReturnType<typeof setTimeout> | undefined
  private readonly clock = new RunClock(() => this.stop('time'))
  private readonly output = createBatch((chunks) => this.postToPage({ type: 'output', chunks }))

  constructor(
    private readonly worker: PythonWorker,
    private readonly postToPage: (message: FromFrame) => void,
  ) {}

  run(code: string, dark: boolean): void {
    if (!this.worker.isReady) {
      this.queued = { code, dark }
      return this.worker.startOnce()
    }
    if (this.isRunning) return
    this.isRunning = true
    this.stopReason = ''
    this.startedAt = performance.now()
    this.worker.post({ type: 'run', code, dark })
  }

  /** Python is ready. */
  runQueued(): void {
    const { queued } = this
    this.queued = undefined
    if (queued) this.run(queued.code, queued.dark)
  }

  answerInput(text: string | null): void {
    if (!this.asksForInput) return
    this.asksForInput = false
    this.clock.resume()
    this.worker.post({ type: 'input', text })
  }

  /** Ask the program to stop. One that does not is interrupted, and at last its worker is replaced. */
  stop(reason: StopReason): void {
    if (this.queued || !this.isRunning) {
      // Python is still starting, or the files of the program are on their way to it.
      this.queued = undefined
      return this.finish({ status: 'stopped', reason }, 0)
    }
    if (this.stopReason) return
    this.stopReason = reason
    this.worker.post({ type: 'stop' })
    this.stopTimer = this.asksForInput ? setTimeout(() => this.replaceWorker(), GRACE_MS) : setTimeout(() => this.interrupt(), BUSY_MS)
  }

  /** Python is gone, and the program with it. */
  abandon(): void {
    this.queued = undefined
    this.end()
  }

  handle(message: WorkerMessage): void {
    if (message.type === 'chunk') this.output.add(message.chunk)
    else if (message.type === 'full') this.stop('output')
    else if (message.type === 'began') this.begin()
    else if (message.type === 'stopping') this.awaitEnd()
    else if (message.type === 'done') this.finish(message.outcome, message.ms, message.memoryMb)
    else {
      this.output.flush() // what comes before a picture or a question stays before it
      if (message.type === 'input') this.pauseForInput()
      this.postToPage(message)
    }
  }

  /** The program's time begins when its imports are loaded: their network may be slow. */
  private begin(): void {
    this.postToPage({ type: 'began' })
    if (this.isRunning && !this.stopReason) this.clock.start(MAX_PROGRAM_S * 1000)
  }

  private pauseForInput(): void {
    this.asksForInput = true
    this.clock.pause()
  }

  /** The worker read the stop, so the program was only waiting, and its wait has ended. */
  private awaitEnd(): void {
    clearTimeout(this.stopTimer)
    this.stopTimer = setTimeout(() => this.replaceWorker(), GRACE_MS)
  }

  private interrupt(): void {
    if (!this.worker.canInterrupt) return this.replaceWorker()
    this.worker.interrupt()
    this.stopTimer = setTimeout(() => this.replaceWorker(), GRACE_MS)
  }

  private replaceWorker(): void {
    this.finish({ status: 'stopped', reason: this.stopReason || 'user' }, Math.round(performance.now() - this.startedAt))
    this.worker.restart()
  }

  private finish(outcome: Outcome, ms: number, memoryMb?: number): void {
    this.end()
    this.postToPage({ type: 'done', outcome: outcome.status === 'stopped' ? { ...outcome, reason: this.stopReason || 'user' } : outcome, ms, memoryMb })
  }

  private end(): void {
    this.isRunning = false
    this.asksForInput = false
    this.clock.clear()
    clearTimeout(this.stopTimer)
    this.output.flush()
  }
}
