// Puts the files of Pyodide that the Python console loads into static_build/pyodide/<version>/, each with its compressed copies.
// A version that is there stays: its folder appears by one rename, complete.
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compress } from './precompress.ts'

const FILES = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip', 'pyodide-lock.json']
const ALREADY_COMPRESSED = /\.zip$/
/** Of the 9.6 MB of WebAssembly the best quality saves little more and takes half a minute. */
const BROTLI_QUALITY = 6

const source = join(import.meta.dirname, 'node_modules', 'pyodide')
const versions = join(import.meta.dirname, '..', 'static_build', 'pyodide')
const { version } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as { version: string }
const target = join(versions, version)

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false)

async function put(name: string, folder: string): Promise<void> {
  await copyFile(join(source, name), join(folder, name))
  if (!ALREADY_COMPRESSED.test(name)) await compress(join(folder, name), BROTLI_QUALITY)
}

async function copy(): Promise<void> {
  await mkdir(versions, { recursive: true })
  const unfinished = await mkdtemp(join(versions, '.new-'))
  await Promise.all(FILES.map((name) => put(name, unfinished)))
  // Another build may have been faster; its folder is as good.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }))
}

if (!(await exists(target))) await copy()
