import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import published from 'pyodide/pyodide-lock.json'
import { lockWith, type Lock } from '../../../consoleWheels'

/** A zip archive of empty files, by its list of contents, which is all that is read of it. */
function zipOf(names: readonly string[]): Buffer {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(46 + name.length)
    entry.write('PK\x01\x02', 'latin1')
    entry.writeUInt16LE(name.length, 28)
    entry.write(name, 46)
    return entry
  })
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(names.length, 10)
  return Buffer.concat([...entries, end])
}

const lock = published as unknown as Lock
let folder: string

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'wheels-'))))
afterEach(() => rm(folder, { recursive: true }))

test('a wheel of pure Python comes by the modules that are in it', async () => {
  const wheel = zipOf(['leaf/__init__.py', 'leaf/stem/__init__.py', 'branch.py', 'leaf_tools-1.0.dist-info/METADATA'])
  await writeFile(join(folder, 'leaf_tools-1.0-py3-none-any.whl'), wheel)
  const { packages } = await lockWith(lock, folder)
  expect(Object.keys(packages)).toEqual(['leaf-tools'])
  expect(packages['leaf-tools']).toMatchObject({ name: 'leaf_tools', version: '1.0', imports: ['leaf', 'branch'], depends: [] })
})

test('without wheels there is nothing to load', async () => {
  expect((await lockWith(lock, undefined)).packages).toEqual({})
})

test('what is not what Pyodide published, or lacks what it needs, is refused in words', async () => {
  const { file_name: numpy } = lock.packages.numpy!
  await writeFile(join(folder, numpy), 'something else')
  await expect(lockWith(lock, folder)).rejects.toThrow(`${numpy} is not the file that Pyodide published.`)
  await rm(join(folder, numpy))
  await writeFile(join(folder, 'other-1.0-cp314-cp314-manylinux_2_28_x86_64.whl'), '')
  await expect(lockWith(lock, folder)).rejects.toThrow('is neither one of Pyodide\'s packages nor pure Python.')
})
