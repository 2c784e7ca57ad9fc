// The script of the sandboxed Python frame: it owns the worker, relays to the page, and stops what does not stop by itself.
import { connect } from '../connect'
import { OUTPUT_LIMIT_BYTES, TIME_LIMIT_S, type FromFrame, type FromWorker, type MountedFile, type ToFrame, type ToWorker } from './messages'
import { createBatch } from './outputs'
import workerUrl from './worker?worker&url'

declare const PYODIDE_PATH: string

/** A worker that has not read the stop by then is busy with Python. */
const BUSY_MS = 150
/** How long a program may take to end by itself after an interrupt; then its worker is replaced. */
const GRACE_MS = 400
const KEYBOARD_INTERRUPT = 2

let worker: Worker | undefined
let script: Promise<string> | undefined
let interrupt: SharedArrayBuffer | undefined
let snapshot: ArrayBuffer | undefined
let snapshotsWork = true
let usedSnapshot = false
let isLoading = false
let isReady = false
let waiting: string | undefined
let isRunning = false
let asks = false
let stopReason = ''
let deadline: ReturnType<typeof setTimeout> | undefined
let grace: ReturnType<typeof setTimeout> | undefined
let beganAt = 0
let remainingMs = 0
let resumedAt = 0
let files: readonly MountedFile[] = []

const post = connect<ToFrame>(onPageMessage)
const tell = (message: FromFrame) => post(message)
const order = (message: ToWorker) => worker?.postMessage(message)
const output = createBatch((chunks) => tell({ type: 'output', chunks }))

/** A module worker cannot be started from a blob here, and nothing else can be started at all: so the built file, as a classic worker. */
const scriptUrl = (): Promise<string> =>
  (script ??= fetch(new URL(workerUrl, location.href))
    .then((response) => response.blob())
    .then((blob) => URL.createObjectURL(new Blob([blob], { type: 'text/javascript' }))))

async function start(): Promise<void> {
  isReady = false
  tell({ type: 'starting' })
  const started = new Worker(await scriptUrl())
  started.onmessage = ({ data }: MessageEvent<FromWorker>) => worker === started && onWorkerMessage(data)
  started.onerror = (event) => worker === started && onFailure(event.message || 'the worker did not start')
  worker = started
  isLoading = false
  interrupt = self.crossOriginIsolated ? new SharedArrayBuffer(1) : undefined
  usedSnapshot = snapshotsWork && snapshot !== undefined
  const index = new URL(PYODIDE_PATH, location.href).href
  order({ type: 'init', index, interrupt, snapshot: usedSnapshot ? snapshot : undefined })
}

const restart = (): void => {
  worker?.terminate()
  worker = undefined
  isLoading = true
  start().catch((error: unknown) => onFailure(String(error)))
}

/** The first wish starts Python; those that come while its script is fetched find it on its way. */
const startOnce = (): void => {
  if (!worker && !isLoading) restart()
}

/** Snapshots are no public part of Pyodide: without them a start takes two seconds instead of half a one. */
function onFailure(message: string): void {
  if (usedSnapshot && !isReady) {
    snapshotsWork = false
    return restart()
  }
  worker?.terminate()
  worker = undefined
  isLoading = false
  waiting = undefined
  endRun()
  tell({ type: 'failed', message })
}

function allow(ms: number): void {
  remainingMs = ms
  resumedAt = performance.now()
  clearTimeout(deadline)
  deadline = setTimeout(() => stop(`Stopped after ${TIME_LIMIT_S} seconds, the longest a program may run.`), ms)
}

/** Waiting for the member's input does not count. */
function pause(): void {
  asks = true
  clearTimeout(deadline)
  remainingMs -= performance.now() - resumedAt
}

function answer(message: ToFrame & { type: 'input' }): void {
  if (!asks) return
  asks = false
  allow(remainingMs)
  order(message)
}

function run(code: string): void {
  if (!isReady) {
    waiting = code
    startOnce()
    return
  }
  if (isRunning) return
  isRunning = true
  stopReason = ''
  beganAt = performance.now()
  order({ type: 'run', code })
}

/** Only now does its time count: what it imports came before, over a network that may be slow. */
function onBegan(): void {
  if (isRunning && !stopReason) allow(TIME_LIMIT_S * 1000)
}

function endRun(): void {
  isRunning = false
  asks = false
  clearTimeout(deadline)
  clearTimeout(grace)
  output.flush()
}

function finish(outcome: (FromWorker & { type: 'done' })['outcome'], ms: number): void {
  endRun()
  tell({ type: 'done', outcome: outcome.status === 'stopped' ? { ...outcome, reason: stopReason || 'Stopped.' } : outcome, ms })
}

function stop(reason: string): void {
  if (waiting !== undefined) {
    waiting = undefined
    return finish({ status: 'stopped', reason }, 0)
  }
  if (!isRunning) return finish({ status: 'stopped', reason }, 0) // its files are still on their way
  if (stopReason) return
  stopReason = reason
  order({ type: 'stop' })
  grace = asks ? setTimeout(replace, GRACE_MS) : setTimeout(interruptPython, BUSY_MS)
}

function interruptPython(): void {
  if (!interrupt) return replace()
  new Uint8Array(interrupt)[0] = KEYBOARD_INTERRUPT
  grace = setTimeout(replace, GRACE_MS)
}

/** The worker reads messages, so the program was only waiting, and its wait has ended. */
function onStopping(): void {
  clearTimeout(grace)
  grace = setTimeout(replace, GRACE_MS)
}

/** The program did not end: its worker does, and another one is ready in half a second. */
function replace(): void {
  finish({ status: 'stopped', reason: stopReason }, Math.round(performance.now() - beganAt))
  restart()
}

function onPageMessage(message: ToFrame): void {
  if (message.type === 'start') startOnce()
  else if (message.type === 'files') {
    files = message.files
    if (isReady) order(message)
  } else if (message.type === 'run') run(message.code)
  else if (message.type === 'stop') stop('Stopped.')
  else answer(message)
}

function onWorkerMessage(message: FromWorker): void {
  if (message.type === 'snapshot') snapshot = message.snapshot
  else if (message.type === 'ready') onReady()
  else if (message.type === 'chunk') output.add(message.chunk)
  else if (message.type === 'full') stop(`Stopped: the program wrote too much (the limit is ${OUTPUT_LIMIT_BYTES / 1000} kB).`)
  else if (message.type === 'began') onBegan()
  else if (message.type === 'stopping') onStopping()
  else if (message.type === 'done') finish(message.outcome, message.ms)
  else if (message.type === 'failed') onFailure(message.message)
  else {
    output.flush() // what comes before a picture or a question stays before it
    if (message.type === 'input') pause()
    tell(message)
  }
}

function onReady(): void {
  isReady = true
  order({ type: 'files', files })
  tell({ type: 'ready', canInterrupt: interrupt !== undefined })
  const code = waiting
  waiting = undefined
  if (code !== undefined) run(code)
}
