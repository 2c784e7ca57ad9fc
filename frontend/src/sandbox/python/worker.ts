// The worker in which Pyodide runs, inside the sandboxed frame. Built as one file: the frame starts it from a blob, as a classic worker.
import program from './console.py?raw'
import { MEMORY_LIMIT_MB, OUTPUT_LIMIT_BYTES, PICTURES_LIMIT_BYTES, type FromWorker, type MountedFile, type Outcome, type Stream, type ToWorker } from './messages'
import type { PyodideAPI } from 'pyodide'

type Python = PyodideAPI & { makeMemorySnapshot(): Uint8Array }
type Run = { callPromising(code: string): Promise<string>; (code: string): Promise<string> }
type Answer = string | false | undefined

const PAGE_BYTES = 65_536
const FILES = '/files'
const STOPPED: Outcome = { status: 'stopped', reason: '' }

let python: Python
let interrupt: Uint8Array | undefined
let run: Run
let cancel: () => void
let answer: ((line: Answer) => void) | undefined
let written = 0
let pictured = 0
let isRunning = false
let isStopped = false

const send = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer })

/** A program that takes all memory gets a MemoryError before the browser ends the tab. */
function limitMemory(): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (pages: number) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MEMORY_LIMIT_MB * 1024 * 1024) throw new RangeError('memory limit')
    return grow.call(this, pages)
  }
}

/** What `import js` reaches. The frame's policy is the wall; this keeps the door shut as well. */
const jsModule = () => ({
  Object, Array, Promise, Error, Date, Math, JSON, Uint8Array, AbortController, AbortSignal, console, performance,
  setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask: queueMicrotask.bind(globalThis), fetch: undefined,
})

/** Sends each write at once, and after the limit nothing more: the frame stops the program then. */
function writerOf(stream: Stream) {
  const decoder = new TextDecoder()
  return {
    isatty: false,
    write(bytes: Uint8Array): number {
      const wasFull = written >= OUTPUT_LIMIT_BYTES
      written += bytes.length
      if (!wasFull) send({ type: 'chunk', chunk: { stream, text: decoder.decode(bytes, { stream: true }) } })
      if (!wasFull && written >= OUTPUT_LIMIT_BYTES) send({ type: 'full' })
      return bytes.length
    },
  }
}

function showPicture(png: string): void {
  pictured += png.length
  send(pictured > PICTURES_LIMIT_BYTES ? { type: 'full' } : { type: 'picture', png })
}

function mount(files: readonly MountedFile[]): void {
  python.FS.mkdirTree(FILES)
  for (const { name, bytes } of files) python.FS.writeFile(`${FILES}/${name}`, bytes)
  python.FS.chdir(FILES)
}

async function load({ index, snapshot }: ToWorker & { type: 'init' }): Promise<Python> {
  limitMemory()
  // Pyodide would take a classic worker with importScripts for one that cannot import modules.
  Object.assign(self, { importScripts: undefined })
  const { loadPyodide } = (await import(/* @vite-ignore */ `${index}pyodide.mjs`)) as typeof import('pyodide')
  const memory = snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: true }
  const env = { HOME: '/home/user', MPLBACKEND: 'agg' }
  return (await loadPyodide({ indexURL: index, lockFileURL: `${index}pyodide-lock.json`, jsglobals: jsModule(), env, ...memory })) as Python
}

function keepSnapshot(): void {
  const snapshot = python.makeMemorySnapshot().slice().buffer
  send({ type: 'snapshot', snapshot }, [snapshot])
}

const ask = (): Promise<Answer> =>
  new Promise((resolve) => {
    answer = resolve
    send({ type: 'input' })
  })

function reply(line: Answer): void {
  answer?.(line)
  answer = undefined
}

/** Read only while the program awaits something: then it is the wait that ends, not a line of Python. One that has not begun does not begin. */
function stopWaiting(): void {
  send({ type: 'stopping' })
  if (answer) reply(false)
  else if (isRunning) cancel()
  else isStopped = true
}

async function start(message: ToWorker & { type: 'init' }): Promise<void> {
  python = await load(message)
  if (!message.snapshot) keepSnapshot()
  python.setStdout(writerOf('out'))
  python.setStderr(writerOf('err'))
  python.setStdin({ stdin: () => undefined })
  if (message.interrupt) python.setInterruptBuffer((interrupt = new Uint8Array(message.interrupt)))
  const scope = python.toPy({}) as { get(name: string): unknown }
  python.runPython(program, { globals: scope as never })
  ;(scope.get('prepare') as (ask: () => Promise<Answer>, show: (png: string) => void) => void)(ask, showPicture)
  run = scope.get('run') as Run
  cancel = scope.get('cancel') as () => void
  send({ type: 'ready' })
}

async function runProgram(code: string): Promise<void> {
  written = 0
  pictured = 0
  if (interrupt) interrupt[0] = 0
  const began = performance.now()
  isStopped = false
  await loadImports(code)
  const outcome = isStopped ? STOPPED : await outcomeOf(code)
  send({ type: 'done', outcome, ms: Math.round(performance.now() - began) })
}

/** What the program imports of the packages that this server has; one that cannot be had is missed by the program itself. */
async function loadImports(code: string): Promise<void> {
  const silent = { messageCallback: () => undefined, errorCallback: () => undefined }
  await python.loadPackagesFromImports(code, silent).catch(() => undefined)
}

async function outcomeOf(code: string): Promise<Outcome> {
  send({ type: 'began' })
  isRunning = true
  try {
    return JSON.parse(await run.callPromising(code)) as Outcome
  } catch (error) {
    return { status: 'error', traceback: String(error), line: 0 }
  } finally {
    isRunning = false
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'init') start(data).catch((error: unknown) => send({ type: 'failed', message: String(error) }))
  else if (data.type === 'files') mount(data.files)
  else if (data.type === 'run') void runProgram(data.code)
  else if (data.type === 'input') reply(data.text ?? undefined)
  else stopWaiting()
}
