import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')
const IMPORT = /(?:from|import|import\()\s*'(\.[^'?]+)/g

const modules = new Set(
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(SOURCE, name)),
)

/** The modules that a module imports, types included. */
function importsOf(module: string): readonly string[] {
  const paths = [...readFileSync(module, 'utf8').matchAll(IMPORT)].map(([, path]) => join(dirname(module), path!))
  return paths.flatMap((path) => [path, `${path}.ts`, `${path}.tsx`].find((file) => modules.has(file)) ?? [])
}

/** The first way that leads from `module` back to a module on `path`; undefined: none. `done`: modules without one. */
function cycleFrom(module: string, path: readonly string[], done: Set<string>): readonly string[] | undefined {
  if (path.includes(module)) return [...path.slice(path.indexOf(module)), module]
  if (done.has(module)) return undefined
  for (const next of importsOf(module)) {
    const cycle = cycleFrom(next, [...path, module], done)
    if (cycle) return cycle
  }
  done.add(module)
  return undefined
}

test('no module imports itself through others', () => {
  const done = new Set<string>()
  const cycle = [...modules].map((module) => cycleFrom(module, [], done)).find((path) => path !== undefined)
  expect(modules.size).toBeGreaterThan(100)
  expect(cycle?.map((file) => relative(SOURCE, file)).join(' -> ')).toBeUndefined()
})
