import { defineConfig } from 'vite'

/** The test's page with React in one script. */
export default defineConfig({
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  build: { target: 'es2022', lib: { entry: 'packages/react/test/page.tsx', formats: ['iife'], name: 'TestPage', fileName: () => 'page.js' } },
})
