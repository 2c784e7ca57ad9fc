import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

/** The script for other people's pages: one file with a fixed name, wrapped in a function, so that it makes no global of that page. */
export default defineConfig({
  plugins: [precompress()],
  publicDir: false,
  build: {
    outDir: '../static_build/dist',
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'src/embed/host/main.ts', formats: ['iife'], name: 'ParleyEmbed', fileName: () => 'embed.js' },
  },
})
