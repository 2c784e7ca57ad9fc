import { lingui } from '@lingui/vite-plugin'

/** What turns the macros of Lingui and imported .po files into code, at build time. The English text stays beside each id. */
export const macros = () => lingui({ failOnCompileError: true, macroTransform: { macro: { descriptorFields: 'message' }, parser: undefined } })
