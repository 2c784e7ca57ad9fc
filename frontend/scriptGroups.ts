import type { Rolldown } from 'vite'

const PAGES = ['src/main.tsx', 'src/embed/main.tsx']
/** The sandboxed frames have an origin of their own and run nothing of the pages. */
const FRAMES = ['src/sandbox/python/frame.ts', 'src/sandbox/mermaid/frame.ts']

type Modules = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>
type Name = 'shared' | 'thread' | 'page' | 'embed'

/** Vite's own, which loads the files of each `import()`: frames need it, and would load a script of the pages for its sake. */
const LOADER = /vite\/preload-helper/

/** The modules that these ones import, themselves among them; `later`: also those that they import later. */
function imported(from: readonly string[], modules: Modules, later: boolean): Set<string> {
  const found = new Set(from)
  for (const id of found) {
    const info = modules.getModuleInfo(id)
    for (const next of [...(info?.importedIds ?? []), ...(later ? (info?.dynamicallyImportedIds ?? []) : [])]) found.add(next)
  }
  return found
}

/**
 * What the chat page and the embedded chat load at once, as a few scripts instead of a hundred: what both need, what each needs alone,
 * and what the embedded chat needs at once and the page later, the messages. A script of one page alone must not be one that the other ever
 * loads: it begins that page.
 */
export function scriptGroups(root: string): Rolldown.CodeSplittingGroup[] {
  const [page, embed, ...frames] = [...PAGES, ...FRAMES].map((entry) => `${root}/${entry}`) as [string, string, ...string[]]
  let names: Map<string, Name | null> | undefined
  const namesOf = (modules: Modules): Map<string, Name | null> => {
    const [ofPage, ofEmbed] = [page, embed].map((entry) => imported([entry], modules, false)) as [Set<string>, Set<string>]
    const [everOfPage, everOfEmbed, everOfFrames] = [[page], [embed], frames].map((entries) => imported(entries, modules, true)) as [Set<string>, Set<string>, Set<string>]
    const nameOf = (id: string): Name | null => {
      if (everOfFrames.has(id)) return null
      if (ofPage.has(id)) return ofEmbed.has(id) ? 'shared' : everOfEmbed.has(id) ? null : 'page'
      return everOfPage.has(id) ? 'thread' : 'embed'
    }
    return new Map([...ofPage, ...ofEmbed].map((id) => [id, nameOf(id)]))
  }
  // A group takes along what its modules import, so what both need comes first.
  const groups = (['shared', 'thread', 'page', 'embed'] as const).map((name, place): Rolldown.CodeSplittingGroup => ({
    name: (id, modules) => ((names ??= namesOf(modules)).get(id) === name ? name : null),
    priority: 4 - place,
  }))
  return [{ name: 'loader', test: LOADER, priority: 5 }, ...groups]
}
