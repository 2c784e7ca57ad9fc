// The catalogues of the page are complete and up to date: `npm run extract` after a change of its texts.
import { getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { beforeAll, describe, expect, test } from 'vitest'

type Texts = ReadonlyMap<string, { readonly english: string; readonly translation: string }>

const config = getConfig({ cwd: `${import.meta.dirname}/../..` })
const LANGUAGES = config.locales
let usedIds: ReadonlySet<string>

/** A part of a compiled message: text, or a value with its cases. */
type Token = string | readonly [name: string, format?: unknown, cases?: unknown]

const casesOf = (cases: unknown): readonly Token[] => (typeof cases === 'object' && cases ? Object.values(cases).filter(Array.isArray).flat() : [])

const gapsIn = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap((token) => (typeof token === 'string' ? (token.match(/<\/?\d+\/?>/g) ?? []) : [token[0], ...gapsIn(casesOf(token[2]))]))

/** The places for values and elements in a text, such as `name` and `<0>`. */
const gapsOf = (text: string): string => [...new Set(gapsIn(compileMessage(text) as readonly Token[]))].sort().join()

async function textsOf(language: string): Promise<Texts> {
  const catalogues = await getCatalogs(config)
  const read = await Promise.all(catalogues.map((catalogue) => catalogue.read(language)))
  const entries = read.flatMap((messages) => Object.entries(messages ?? {}))
  return new Map(entries.map(([id, { message, translation }]) => [id, { english: message ?? id, translation: translation ?? '' }]))
}

beforeAll(async () => {
  const catalogues = await getCatalogs(config)
  const contents = await Promise.all(catalogues.map((catalogue) => catalogue.collect()))
  usedIds = new Set(contents.flatMap((messages) => Object.keys(messages ?? {})))
}, 120_000)

describe.each<string>(LANGUAGES)('%s', (language) => {
  test('has exactly the texts of the code', async () => {
    const texts = await textsOf(language)
    expect(usedIds.size).toBeGreaterThan(300)
    expect([...texts].filter(([id]) => !usedIds.has(id)).map(([, { english }]) => english)).toEqual([])
    expect([...usedIds].filter((id) => !texts.has(id))).toEqual([])
  })
  test('has a translation for each, with the same gaps', async () => {
    const texts = [...(await textsOf(language)).values()]
    expect(texts.filter(({ translation }) => translation === '').map(({ english }) => english)).toEqual([])
    expect(texts.filter(({ english, translation }) => gapsOf(english) !== gapsOf(translation)).map(({ english }) => english)).toEqual([])
  })
})
