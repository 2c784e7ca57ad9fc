import { defineConfig } from 'vitest/config'
import { macros } from './macros.ts'

export default defineConfig({
  plugins: [macros()],
  // A time limit only ends a test that hangs: Vitest's 5 s are too few for one that reads all of the code on a busy machine.
  test: { include: ['src/**/*.test.ts', 'src/**/*.test.tsx'], setupFiles: ['src/testing/english.ts'], testTimeout: 60_000 },
})
