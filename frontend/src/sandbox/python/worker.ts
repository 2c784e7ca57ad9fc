// The worker that runs Pyodide inside the sandboxed frame. It is built as one file, because the frame starts it from a blob as a classic worker.
import type { PyodideAPI } from 'pyodide'
import program from './console.py?raw'
import { MEMORY_LIMIT_MB, OUTPUT_LIMIT_BYTES, PICTURES_LIMIT_BYTES, type FromWorker, type MountedFile, type Outcome, type Stream, type ToWorker } from './messages'

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

/** Limits the memory, so that a program gets a MemoryError before the browser kills the tab. */
function limitMemory(): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (pages: number) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MEMORY_LIMIT_MB * 1024 * 1024) throw new RangeError('memory limit')
    return grow.call(this, pages)
  }
}

/** What `import js` can reach. The content security policy of the frame is the real protection; this is a second one. */
const jsModule = () => ({
  Object, Array, Promise, Error, Date, Math, JSON, Uint8Array, AbortController, AbortSignal, console, performance,
  setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask: queueMicrotask.bind(globalThis), fetch: undefined,
})

/** Sends each write at once, up to the limit. Beyond it, the frame stops the program. */
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
  // Pyodide believes that a classic worker with importScripts cannot import modules.
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

/** Handles a stop. The worker reads it only while the program awaits something, so it ends that wait. A program that has not started does not start. */
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

/** Loads the packages of this server that the program imports. If one cannot be loaded, the import in the program fails. */
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
