import type { PyodideAPI } from 'pyodide'
import { MAX_MEMORY_MB } from './limits'
import type { ToWorker } from './messages'

export type Python = PyodideAPI & { makeMemorySnapshot(): Uint8Array }

const PAGE_BYTES = 65_536

/** Limits the memory, so that a program gets a MemoryError before the browser kills the tab. */
function limitMemory(): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (pages: number) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_MB * 1024 * 1024) throw new RangeError('memory limit')
    return grow.call(this, pages)
  }
}

/** What Python has taken of its memory, in MB. Undefined in a release of Pyodide that does not tell. */
export function memoryMb(python: Python): number | undefined {
  const { HEAPU8 } = (python as unknown as { _module: { HEAPU8?: Uint8Array } })._module
  return HEAPU8 && Math.round(HEAPU8.byteLength / (1024 * 1024))
}

/** What `import js` can reach. The content security policy of the frame is the real protection; this is a second one. */
const jsModule = () => ({
  Object, Array, Promise, Error, Date, Math, JSON, Uint8Array, AbortController, AbortSignal, console, performance,
  setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask: queueMicrotask.bind(globalThis), fetch: undefined,
})

/** Loads Pyodide with its limits, from a snapshot of its memory if there is one. */
export async function loadPython({ index, snapshot }: ToWorker & { type: 'init' }): Promise<Python> {
  limitMemory()
  // Pyodide believes that a classic worker with importScripts cannot import modules.
  Object.assign(self, { importScripts: undefined })
  const { loadPyodide } = (await import(/* @vite-ignore */ `${index}pyodide.mjs`)) as typeof import('pyodide')
  const memory = snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: true }
  const env = { HOME: '/home/user', MPLBACKEND: 'agg' }
  return (await loadPyodide({ indexURL: index, lockFileURL: `${index}pyodide-lock.json`, jsglobals: jsModule(), env, ...memory })) as Python
}
