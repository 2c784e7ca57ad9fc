// What the Python console has besides the standard library: wheels from the directory that PYTHON_WHEELS names at build time.
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

type Package = {
  readonly name: string
  readonly version: string
  readonly file_name: string
  readonly install_dir: 'site'
  readonly package_type: 'package'
  readonly sha256: string
  /** The modules that bring it in when a program imports them. */
  readonly imports: readonly string[]
  readonly depends: readonly string[]
}
/** pyodide-lock.json: all that Pyodide knows to load. */
export type Lock = { readonly info: object; readonly packages: Readonly<Record<string, Package>> }

const PYODIDE = join(import.meta.dirname, 'node_modules', 'pyodide')
const PURE = /^([\w.]+)-([\w.!+]+)-(?:py2\.)?py3-none-any\.whl$/

const hashOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

/** The names of the files in a zip archive. */
function namesIn(zip: Buffer): readonly string[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const names: string[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place)) as [number, number, number]
    names.push(zip.toString('utf8', at + 46, at + 46 + name))
    at += 46 + name + extra + comment
  }
  return names
}

const modulesIn = (wheel: Buffer): string[] => [...new Set(namesIn(wheel).flatMap((name) => /^(\w+)(?:\.py|\/__init__\.py)$/.exec(name)?.[1] ?? []))]

/** A wheel of pure Python, which need not be one of Pyodide's. */
function ownPackage(file: string, wheel: Buffer): Package {
  const [, name, version] = PURE.exec(file) ?? []
  if (!name || !version) throw new Error(`${file} is neither one of Pyodide's packages nor pure Python.`)
  const place = { file_name: file, install_dir: 'site', package_type: 'package' } as const
  return { name, version, ...place, sha256: hashOf(wheel), imports: modulesIn(wheel), depends: [] }
}

async function packageOf(known: Lock, folder: string, file: string): Promise<Package> {
  const wheel = await readFile(join(folder, file))
  const published = Object.values(known.packages).find(({ file_name }) => file_name === file)
  if (!published) return ownPackage(file, wheel)
  if (published.sha256 !== hashOf(wheel)) throw new Error(`${file} is not the file that Pyodide published.`)
  return published
}

const keyOf = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** Pyodide's lock with the wheels of `folder` alone. Throws an Error in words for a wheel that cannot be used, and for one that needs another. */
export async function lockWith(known: Lock, folder: string | undefined): Promise<Lock> {
  const files = folder ? (await readdir(folder)).filter((name) => name.endsWith('.whl')).sort() : []
  const found = await Promise.all(files.map((file) => packageOf(known, folder!, file)))
  const packages = Object.fromEntries(found.map((one) => [keyOf(one.name), one]))
  for (const { file_name, depends } of found) {
    const missing = depends.filter((name) => !packages[keyOf(name)]).map((name) => known.packages[keyOf(name)]?.file_name ?? name)
    if (missing.length) throw new Error(`${file_name} needs ${missing.join(', ')} beside it.`)
  }
  return { ...known, packages }
}

const read = async <T>(name: string): Promise<T> => JSON.parse(await readFile(join(PYODIDE, name), 'utf8')) as T

/** The directory that the operator names, or the one into which tools/console_wheels.py has fetched all; undefined: neither is there. */
async function wheelsFolder(version: string): Promise<string | undefined> {
  const fetched = join(import.meta.dirname, '..', 'static_build', 'python-wheels', version)
  return process.env.PYTHON_WHEELS ?? (await stat(join(fetched, 'complete')).then(() => fetched, () => undefined))
}

/** Where the console's files are: `folder` below static_build/pyodide/, another one for each set of wheels; and what goes into it. */
export async function pythonFiles() {
  const { version } = await read<{ version: string }>('package.json')
  const wheels = await wheelsFolder(version)
  const lock = JSON.stringify(await lockWith(await read<Lock>('pyodide-lock.json'), wheels))
  const names = Object.values((JSON.parse(lock) as Lock).packages).map(({ file_name }) => file_name)
  return { folder: `${version}_${hashOf(lock).slice(0, 8)}`, lock, wheels: names.map((name) => join(wheels!, name)) }
}
