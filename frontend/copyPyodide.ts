// Puts the files that the Python console loads into a folder of static_build/pyodide/, each with its compressed copies.
// A folder that is there stays: it appears by one rename, complete.
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { compress } from './precompress.ts'
import { pythonFiles } from './consoleWheels.ts'

const FILES = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip']
const LOCK = 'pyodide-lock.json'
const ALREADY_COMPRESSED = /\.(?:zip|whl)$/
/** Of the 9.6 MB of WebAssembly the best quality saves little more and takes half a minute. */
const BROTLI_QUALITY = 6

const source = join(import.meta.dirname, 'node_modules', 'pyodide')
const folders = join(import.meta.dirname, '..', 'static_build', 'pyodide')
const { folder, lock, wheels } = await pythonFiles()
const target = join(folders, folder)

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false)

async function put(from: string, into: string): Promise<void> {
  const path = join(into, basename(from))
  await copyFile(from, path)
  if (!ALREADY_COMPRESSED.test(path)) await compress(path, BROTLI_QUALITY)
}

async function copy(): Promise<void> {
  await mkdir(folders, { recursive: true })
  const unfinished = await mkdtemp(join(folders, '.new-'))
  await Promise.all([...FILES.map((name) => join(source, name)), ...wheels].map((path) => put(path, unfinished)))
  await writeFile(join(unfinished, LOCK), lock)
  // mkdtemp closes it to all others, but the server is often another user than who builds.
  await chmod(unfinished, 0o755)
  // Another build may have been faster; its folder is as good.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }))
}

/** The server tells each frame this name, so that new packages need neither a build nor a restart. */
async function name(): Promise<void> {
  const unfinished = join(folders, `.current-${process.pid}`)
  await writeFile(unfinished, folder)
  await rename(unfinished, join(folders, 'current'))
}

if (!(await exists(target))) await copy()
await name()
