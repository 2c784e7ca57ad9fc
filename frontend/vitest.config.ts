import { defineConfig } from 'vitest/config'
import { macros } from './macros.ts'

export default defineConfig({
  plugins: [macros()],
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    setupFiles: ['src/testing/english.ts'],
    isolate: false, // a worker for each file took two thirds of the run: 36 s of CPU instead of 12
    unstubGlobals: true, // what one test stubs is gone for those after it, in other files, too
    restoreMocks: true,
    testTimeout: 60_000, // only ends a test that hangs: Vitest's 5 s are too few for one that reads all of the code on a busy machine
  },
})
