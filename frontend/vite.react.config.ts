import { defineConfig } from 'vite'

/** The package of the React component (docs/embedding.md). React itself is the page's. */
export default defineConfig({
  publicDir: false,
  build: {
    outDir: 'packages/react/dist',
    target: 'es2022',
    lib: { entry: 'packages/react/src/index.tsx', formats: ['es'], fileName: () => 'index.js' },
    rollupOptions: { external: ['react', 'react/jsx-runtime'] },
  },
})
