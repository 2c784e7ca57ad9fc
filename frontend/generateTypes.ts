// Turns a JSON schema on standard input into TypeScript types on standard output; tools/browser_types.py calls it.
import { compile } from 'json-schema-to-typescript'
import { text } from 'node:stream/consumers'

// The schema's root, which is empty: it only holds the definitions.
const ROOT = 'Root'
const OPTIONS = {
  additionalProperties: false,
  bannerComment: '',
  ignoreMinAndMaxItems: true,
  unreachableDefinitions: true,
  style: { printWidth: 160, semi: false, singleQuote: true },
} as const

/** Without the remarks on the root. */
const withoutRoot = (types: string): string =>
  types
    .replace(`export interface ${ROOT} {}\n`, '')
    .replace(/( \*\n)? \* This interface was referenced by .*\n \* via the `definition` .*\n/g, '')
    .replaceAll('/**\n */\n', '')

/** The generator knows no `readonly`; nothing that crossed the wire is changed in place. It writes one property a line. */
const asReadonly = (types: string): string => types.replace(/^( +)(?=[\w'"[])/gm, '$1readonly ').replace(/([:|] )(\w+|\([^)]*\))\[\]/g, '$1readonly $2[]')

const types = await compile(JSON.parse(await text(process.stdin)), ROOT, OPTIONS)
process.stdout.write(asReadonly(withoutRoot(types)))
