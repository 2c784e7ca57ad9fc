import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

const TEXT = /\.(?:js|css|svg)$/
/** Below this a compressed copy saves nothing. */
const LEAST_BYTES = 1400
const BEST = 10
/** 6 % larger than the best in a twentieth of its time: for Mermaid's 5 MB, of which a diagram loads a part. */
const QUICK = 8

/** Writes a .gz and a .br beside the file. */
export async function compress(path: string, quality: number): Promise<void> {
  const content = await readFile(path)
  if (content.length < LEAST_BYTES) return
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }
  const [small, smaller] = await Promise.all([promisify(gzip)(content, { level: 9 }), promisify(brotliCompress)(content, brotli)])
  await Promise.all([writeFile(`${path}.gz`, small), writeFile(`${path}.br`, smaller)])
}

/** The scripts that the entry of this name ever loads, itself among them. */
function scriptsOf(name: string, bundle: Rolldown.OutputBundle): Set<string> {
  const found = new Set(Object.keys(bundle).filter((file) => bundle[file]?.type === 'chunk' && bundle[file].isEntry && bundle[file].name === name))
  for (const file of found) {
    const script = bundle[file]
    if (script?.type === 'chunk') for (const next of [...script.imports, ...script.dynamicImports]) found.add(next)
  }
  return found
}

/** Compresses each text file of the build: the static file server sends these copies and never compresses by itself. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const ofPage = scriptsOf('main', bundle)
      const quality = (file: string) => (bundle[file]?.type === 'asset' || ofPage.has(file) ? BEST : QUICK)
      const files = Object.keys(bundle).filter((file) => TEXT.test(file))
      await Promise.all(files.map((file) => compress(join(dir ?? '.', file), quality(file))))
    },
  }
}
