import { defineConfig } from 'vitest/config'
import { macros } from './macros.ts'

export default defineConfig({
  plugins: [macros()],
  test: { include: ['src/**/*.test.ts', 'src/**/*.test.tsx'], setupFiles: ['src/testing/english.ts'] },
})
