import react from '@vitejs/plugin-react'
import tailwind from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { compiledMessages } from './compiledMessages.ts'
import { scriptGroups } from './scriptGroups.ts'
import { macros } from './macros.ts'
import { precompress } from './precompress.ts'

/** KaTeX lists each font three times; every browser we support reads woff2, so the other two stay out of the build (0.8 MB). */
const woff2Only: Plugin = {
  name: 'katex-woff2-only',
  enforce: 'pre',
  transform(code, id) {
    if (!/katex(\.min)?\.css/.test(id)) return undefined
    return { code: code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\("[a-z]+"\)/g, ''), map: null }
  },
}

export default defineConfig({
  base: '/static/dist/',
  plugins: [woff2Only, tailwind(), macros(), compiledMessages, react(), precompress()],
  build: {
    manifest: true,
    outDir: '../static_build/dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1600, // one of Mermaid's layouts, which few diagrams load
    rollupOptions: {
      input: ['src/main.tsx', 'src/embed/main.tsx', 'src/sandbox/python/frame.ts', 'src/sandbox/mermaid/frame.ts'],
      output: { codeSplitting: { groups: scriptGroups(import.meta.dirname) } },
    },
  },
  worker: { format: 'es' },
})
