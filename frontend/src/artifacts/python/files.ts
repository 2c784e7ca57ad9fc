// The files of the conversation for the console: their bytes, and unique names in one folder.
import type { MountedFile } from '../../sandbox/python/messages'

export type AttachedFile = { readonly name: string; readonly url: string }
export type LoadedFiles = { readonly files: readonly MountedFile[]; readonly missing: readonly string[] }

const safeName = (name: string): string => name.replace(/[/\\\0]/g, '_').replace(/^\.+$/, '_') || '_'

/** File names without folders, each only once: a second report.csv becomes "report (2).csv". */
export function mountNames(names: readonly string[]): readonly string[] {
  const usedNames = new Set<string>()
  return names.map((name) => {
    const [, stem = '', extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(safeName(name)) ?? []
    let free = safeName(name)
    for (let number = 2; usedNames.has(free); number += 1) free = `${stem} (${number})${extension}`
    usedNames.add(free)
    return free
  })
}

async function bytesOf(url: string): Promise<Uint8Array | null> {
  try {
    const response = await fetch(url)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
  } catch {
    return null
  }
}

/** Fetches all files. `missing`: the names of those that could not be loaded. */
export async function loadFiles(attached: readonly AttachedFile[]): Promise<LoadedFiles> {
  const names = mountNames(attached.map(({ name }) => name))
  const contents = await Promise.all(attached.map(({ url }) => bytesOf(url)))
  const files = names.flatMap((name, index) => (contents[index] ? [{ name, bytes: contents[index] }] : []))
  return { files, missing: names.filter((_, index) => !contents[index]) }
}
