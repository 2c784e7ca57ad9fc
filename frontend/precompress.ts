import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:js|css|svg)$/
/** Below this a compressed copy saves nothing. */
const LEAST_BYTES = 1400
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < LEAST_BYTES) return
  const [small, smaller] = await Promise.all([promisify(gzip)(content, { level: 9 }), promisify(brotliCompress)(content, BROTLI)])
  await Promise.all([writeFile(`${path}.gz`, small), writeFile(`${path}.br`, smaller)])
}

/** Writes a .gz and a .br beside each text file: the static file server sends these and never compresses by itself. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      const names = await readdir(dir ?? '.', { recursive: true })
      await Promise.all(names.filter((name) => TEXT.test(name)).map((name) => compress(join(dir ?? '.', name))))
    },
  }
}
