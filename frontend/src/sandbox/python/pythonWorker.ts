import type { FromWorker, ToWorker } from './messages'
import workerUrl from './worker?worker&url'

const KEYBOARD_INTERRUPT = 2

/** Messages that this class does not handle itself. */
export type WorkerMessage = Exclude<FromWorker, { type: 'snapshot' | 'ready' | 'failed' }>

export type WorkerListener = {
  onStarting(): void
  onReady(): void
  onMessage(message: WorkerMessage): void
  /** Python did not start, or its worker broke. The next program starts another one. */
  onFailed(reason: string): void
}

/** The worker in which Python runs, from its start to its replacement. Only one of them lives at a time. */
export class PythonWorker {
  isReady = false
  private worker: Worker | undefined
  private isLoading = false
  private script: Promise<string> | undefined
  private interruptBuffer: SharedArrayBuffer | undefined
  /** Python's memory after its first start. */
  private snapshot: ArrayBuffer | undefined
  private usesSnapshot = false
  private snapshotsWork = true

  constructor(private readonly listener: WorkerListener) {}

  /** Whether a busy program can be interrupted without ending its worker. */
  get canInterrupt(): boolean {
    return this.interruptBuffer !== undefined
  }

  /** Start Python with the first need. Needs that come while its script is fetched find it loading. */
  startOnce(): void {
    if (!this.worker && !this.isLoading) this.restart()
  }

  /** End the worker and start another one; from a snapshot that takes half a second. */
  restart(): void {
    this.end()
    this.isLoading = true
    this.start().catch((error: unknown) => this.handleFailure(String(error)))
  }

  post(message: ToWorker): void {
    this.worker?.postMessage(message)
  }

  /** Raise KeyboardInterrupt in the program that runs. */
  interrupt(): void {
    if (this.interruptBuffer) new Uint8Array(this.interruptBuffer)[0] = KEYBOARD_INTERRUPT
  }

  private async start(): Promise<void> {
    this.isReady = false
    this.listener.onStarting()
    const worker = new Worker(await this.scriptUrl())
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.worker === worker && this.receive(data)
    worker.onerror = (event) => this.worker === worker && this.handleFailure(event.message || 'the worker did not start')
    this.worker = worker
    this.isLoading = false
    this.interruptBuffer = self.crossOriginIsolated ? new SharedArrayBuffer(1) : undefined
    this.usesSnapshot = this.snapshotsWork && this.snapshot !== undefined
    const index = new URL(document.body.dataset.pyodide ?? '', location.href).href
    this.post({ type: 'init', index, interrupt: this.interruptBuffer, snapshot: this.usesSnapshot ? this.snapshot : undefined })
  }

  /** A sandboxed frame can start neither a module worker from a blob nor any worker from an address, so the built file becomes a classic worker's blob. */
  private scriptUrl(): Promise<string> {
    this.script ??= fetch(new URL(workerUrl, location.href))
      .then((response) => response.blob())
      .then((blob) => URL.createObjectURL(new Blob([blob], { type: 'text/javascript' })))
    return this.script
  }

  private receive(message: FromWorker): void {
    if (message.type === 'snapshot') this.snapshot = message.snapshot
    else if (message.type === 'failed') this.handleFailure(message.message)
    else if (message.type === 'ready') {
      this.isReady = true
      this.listener.onReady()
    } else this.listener.onMessage(message)
  }

  /** Snapshots are no public part of Pyodide. Without them a start takes two seconds instead of half a second. */
  private handleFailure(reason: string): void {
    if (this.usesSnapshot && !this.isReady) {
      this.snapshotsWork = false
      return this.restart()
    }
    this.end()
    this.isLoading = false
    this.listener.onFailed(reason)
  }

  private end(): void {
    this.worker?.terminate()
    this.worker = undefined
  }
}
