import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

const CHAT = ['artifacts', 'chat', 'embed', 'files', 'github', 'markdown', 'prompts', 'sandbox'].map((folder) => `<rootDir>/src/${folder}`)

/** English is in the code itself; `npm run extract` brings the catalogues of the other languages up to date (docs/decisions/0042-languages.md). */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['de'],
  catalogs: [
    { path: '<rootDir>/src/locales/{locale}/chat', include: CHAT },
    { path: '<rootDir>/src/locales/{locale}/app', include: ['<rootDir>/src'], exclude: [...CHAT.map((folder) => `${folder}/**`), '**/*.test.*'] },
  ],
  format: formatter({ lineNumbers: false }),
  orderBy: 'origin',
})
