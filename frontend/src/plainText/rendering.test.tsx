// Nothing that somebody else wrote looks on screen like something else: approval cards, titles, names and links (docs/security.md).
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { FakeNetwork } from '../testing/fakeNetwork'
import { markup } from '../testing/markup'
import { linkTarget } from '../markdown/linkTarget'
import { unicodeHost } from './hostName'
import { isSuspicious, segments, visibleText } from './segments'

const HIDDEN = [
  0x00, 0x01, 0x07, 0x08, 0x0b, 0x0c, 0x1b, 0x7f, 0x85, 0x9f, // controls
  0xa0, 0x2000, 0x2003, 0x2007, 0x2009, 0x200a, 0x202f, 0x205f, 0x3000, // spaces
  0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x2800, 0x3164, 0xffa0, // blanks
  0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2064, 0xfeff, // of no width
  0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, // direction
  0x2028, 0x2029, 0xfff9, 0xfffb, 0xfe00, 0xfe0f, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe000, 0x10fffd, 0xd800, // others
]
/** Words with a letter that is not what it looks like, and its code. */
const ALIKE: readonly (readonly [string, string])[] = [
  ['pаypal', 'U+0430'], ['аpple', 'U+0430'], ['gооgle', 'U+043E'], ['exаmple', 'U+0430'], ['microsоft', 'U+043E'], ['раураl', 'U+0440'], ['ѕend', 'U+0455'],
  ['сom', 'U+0441'], ['hоst', 'U+043E'], ['xу', 'U+0443'], ['Αcme', 'U+0391'], ['acmε', 'U+03B5'], ['ο-x', 'U+03BF'], ['оrg', 'U+043E'],
  ['ａdmin', 'U+FF41'], ['ｅxample', 'U+FF45'], ['𝐚cme', 'U+1D41A'], ['ⅽom', 'U+217D'], ['ⓐcme', 'U+24D0'], ['a⁄b', 'U+2044'], ['a∕b', 'U+2215'], ['a／b', 'U+FF0F'],
  ['a．b', 'U+FF0E'], ['a。b', 'U+3002'], ['a․b', 'U+2024'], ['a：b', 'U+FF1A'], ['a‑b', 'U+2011'], ['a﹣b', 'U+FE63'], ['ɡoogle', 'U+0261'], ['ɑpple', 'U+0251'], ['ıbm', 'U+0131'],
] // prettier-ignore
const HARMLESS = ['Tea for two', 'Grüße aus Zürich', 'Привет, мир', 'Γειά σου κόσμε', '日本語のテキスト', 'می‌خواهم', '👩‍👩‍👧 ❤️', 'naïve café', 'שלום', '한국어', 'x² + 1 ½', 'a\u0301', 'Straße 5/7', 'हिन्दी', '“quotes” – and – dashes…']

const codeOf = (letter: string) => `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

type Card = (input: object, name?: string) => string
let card: Card
let titleOf: (title: string) => string

beforeAll(async () => {
  new FakeNetwork().install()
  const { ApprovalCard } = await import('../chat/parts/ApprovalCard')
  const conversations = await import('../conversations/title')
  card = (input, name = 'look_up') => {
    const approval = { id: 'a1', requestReason: 'Check it.\nGoes to: api.example\nIt can be allowed for this chat.' }
    const part = { type: 'dynamic-tool', toolName: name, toolCallId: 'c1', state: 'approval-requested', input, approval } as const
    return markup(<ApprovalCard part={part} onDecide={() => Promise.resolve()} onNewChat={() => undefined} />)
  }
  titleOf = (title) => conversations.titleOf({ title } as Parameters<typeof conversations.titleOf>[0])
})
afterAll(() => void vi.unstubAllGlobals())

async function link(value: string): Promise<string> {
  const { LinkAddress } = await import('../markdown/LinkDialog')
  const target = linkTarget(`https://a.example/?q=${encodeURIComponent(value)}`, 'https://parley.example/')
  return markup(<LinkAddress target={target!} />)
}

describe.each(HIDDEN.map((code) => String.fromCodePoint(code)).map((letter) => [codeOf(letter), letter] as const))('%s', (code, letter) => {
  test('is shown in a value of an approval', () => {
    const html = card({ text: `pay${letter}Ann` })
    expect(html).toContain(code)
    expect(html).not.toContain(letter)
  })
  test('is shown in a name of a value', () => {
    const html = card({ [`to${letter}`]: 'Ann' })
    expect(html).toContain(code)
    expect(html).not.toContain(letter)
  })
  test('is shown in the name of a tool', () => {
    expect(card({}, `look${letter}up`)).toContain(code)
  })
  test('is not in a title', () => {
    expect(titleOf(`Tea${letter}time`)).toBe('Teatime')
  })
  test('is shown in a link', async () => {
    if (!/\p{Cs}/u.test(letter)) expect(await link(`pay${letter}Ann`)).toContain(code)
    else expect(segments(letter)).toEqual([{ text: code, kind: 'hidden', code }])
  })
})

describe.each(ALIKE)('%s', (word, code) => {
  test('is marked in an approval', () => expect(card({ text: `to ${word} now` })).toContain(code))
  test('is marked in a link', async () => expect(await link(`to ${word} now`)).toContain(code))
  test('keeps its letters', () => expect(visibleText(word)).toBe(word))
})

test.each(HARMLESS)('%s is shown as it is', (text) => {
  expect(isSuspicious(text)).toBe(false)
  expect(visibleText(text)).toBe(text)
})

test('marks that pile up on one letter are shown by their numbers', () => {
  expect(isSuspicious(`e${'\u0301'.repeat(3)}`)).toBe(false)
  expect(segments(`e${'\u0301'.repeat(9)}`).filter(({ kind }) => kind === 'hidden')).toHaveLength(6)
})

describe.each(['\u202e', '\u200b', '\u2060', '\u3164'])('what the agent or a stranger named, %#', (letter) => {
  test('is shown in a plan', async () => {
    const { Plan } = await import('../chat/parts/Plan')
    const html = markup(<Plan plan={{ title: `Pay${letter}Ann`, steps: [{ text: `Send${letter}it`, state: 'done' }] }} live={false} />)
    expect(html.split(codeOf(letter)).length - 1).toBe(4) // each with its tooltip
    expect(html).not.toContain(letter)
  })
  test('is shown in the name of a file', async () => {
    const { SentFile } = await import('../files/SentFiles')
    const html = markup(<SentFile part={{ type: 'file', mediaType: 'text/plain', filename: `a${letter}gpj.exe`, url: 'https://a.example' }} />)
    expect(html).toContain(codeOf(letter))
    expect(html).not.toContain(letter)
  })
})

test('the spaces of French and of screenshots stay plain in names, and not in what is agreed to', () => {
  expect(segments('Prêt\u202f? 3.41\u00a0PM', { prose: true })).toHaveLength(1)
  expect(card({ text: 'pay\u00a0Ann' })).toContain('U+00A0')
})

test('lines stay lines where they may, and markup is text', () => {
  const html = card({ text: 'one\ntwo\t3 <img src=x onerror=alert(1)>' })
  expect(html).toContain('one\ntwo\t3 &lt;img src=x onerror=alert(1)&gt;')
  expect(segments('one\ntwo').map(({ text }) => text)).toEqual(['one', 'U+000A', 'two'])
})

test('the host stands on a line of its own, in bold, and long values tell their size', () => {
  const html = card({ text: `${'x'.repeat(1200)}\nend` })
  expect(html).toContain('<strong class="font-mono font-semibold text-fg">api.example</strong>')
  expect(html).toContain('1,204 characters, 2 lines')
  expect(html.match(/<button/g)).toHaveLength(4)
})

test.each([
  ['xn--tda.example', 'ü.example'],
  ['xn--bcher-kva.example', 'bücher.example'],
  ['xn--80ak6aa92e.com', 'аррӏе.com'],
  ['xn--fsqu00a.xn--0zwm56d', '例子.测试'],
  ['api.example', undefined],
  ['xn--', ''],
  ['xn--!!.example', undefined],
  ['xn--999999999999.example', undefined],
])('the host %s reads as %s', (host, reads) => {
  expect(unicodeHost(host) ?? undefined).toBe(reads)
})

test.each([
  ['https://a.example/x?q=1#y', { host: 'a.example', path: '/x', query: [['q', '1'], ['#', 'y']] }],
  ['https://a.example:8443/', { host: 'a.example:8443', path: '', query: [] }],
  ['https://user@a.example/', { host: 'a.example', path: '', query: [] }],
  ['mailto:ann@a.example?body=hi', { host: '', path: 'ann@a.example', query: [['body', 'hi']] }],
  ['https://a.example/%ff', { host: 'a.example', path: '/%ff', query: [] }],
  ['/o/acme/', undefined],
  ['#part', undefined],
])('the link %s leads to', (href, target) => {
  expect(linkTarget(href, 'https://parley.example/o/acme/')).toEqual(target)
})
