import type { Node } from 'prosemirror-model'
import { EditorState, TextSelection } from 'prosemirror-state'
import { describe, expect, test } from 'vitest'
import { randomNumbers } from '../../../testing/randomNumbers'
import { replaceDifference } from './difference'
import { openDocument } from './richDocument'

const read = (text: string) => openDocument(text).doc
const change = (before: string, after: string) => replaceDifference(EditorState.create({ doc: read(before) }), read(after))

const TEXTS = [
  '# Tea\n\nIt is hot.\n',
  '# Tea\n\nIt is **hot**.\n\n- one\n- two\n',
  '## Tea\n\nIt is hot.\n\n- one\n  - inner\n- two\n',
  '- one\n- two\n\n# Tea\n',
  '| A | B |\n|---|---|\n| 1 | 2 |\n',
  '| A | B |\n|---|---|\n| 1 | 22 |\n| 3 | 4 |\n',
  '| A |\n|---|\n| 1 |\n',
  '> Quiet.\n>\n> - one\n',
  '```python\nprint("tea")\n```\n',
  '',
]

test('every text becomes every other', () => {
  for (const before of TEXTS) for (const after of TEXTS) expect((change(before, after)?.doc ?? read(before)).eq(read(after))).toBe(true)
})

test('there is no change where there is no difference', () => {
  for (const text of TEXTS) expect(change(text, text)).toBeNull()
})

test('what stands around the difference moves with the text', () => {
  const before = read('It is hot. So drink it.\n')
  const transaction = change('It is hot. So drink it.\n', 'It is very hot. So drink it.\n')!
  const at = before.textContent.indexOf('drink') + 1
  const position = transaction.mapping.map(at)
  expect(transaction.doc.textBetween(position, position + 5)).toBe('drink')
  expect(transaction.mapping.mapResult(at).deleted).toBe(false)
})

function placeOf(doc: Node, words: string): number {
  let place = -1
  doc.descendants((node, at) => {
    const index = node.text?.indexOf(words) ?? -1
    if (index >= 0) place = at + index
  })
  return place
}

/** The editor with these words selected, after the text became `after`. */
function selected(words: string, before: string, after: string): EditorState {
  const doc = read(before)
  const from = placeOf(doc, words)
  const state = EditorState.create({ doc, selection: TextSelection.create(doc, from, from + words.length) })
  return state.apply(replaceDifference(state, read(after))!)
}

/** The text with `^` where the cursor went that stood in its place in `before`. */
function cursorAfter(before: string, after: string): string {
  const doc = read(before.replace('^', ''))
  const state = EditorState.create({ doc, selection: TextSelection.create(doc, placeOf(read(before), '^')) })
  const next = state.apply(replaceDifference(state, read(after))!)
  expect(next.doc.eq(read(after))).toBe(true)
  return next.tr.insertText('^').doc.textBetween(0, next.doc.content.size + 1, '/', '-')
}

describe('a cursor stays at its word', () => {
  test.each([
    ['words before and behind it', 'Tea is h^ot today.\n', 'Green tea is hot this day.\n', 'Green tea is h^ot this day.'],
    ['bold', 'Tea is h^ot today.\n', 'Tea **is hot** today.\n', 'Tea is h^ot today.'],
    ['a heading', 'Tea is h^ot.\n\nWait.\n', '# Tea is hot.\n\nWait a bit.\n', 'Tea is h^ot./Wait a bit.'],
    ['a list', 'Wait.\n\nTea is h^ot.\n', '- Wait.\n- Tea is hot.\n', 'Wait./Tea is h^ot.'],
    ['letters at its end', 'Two te^a, please.\n', 'Two teas now, please.\n', 'Two te^as now, please.'],
    ['two words from one', 'A hot^plate is here.\n', 'A hot plate is there.\n', 'A hot ^plate is there.'],
    ['signs without spaces', '茶很^热。\n', '绿茶很暖和。\n', '绿茶很^暖和。'],
    ['a rewritten text around it', 'A stitch in t^ime saves nine.\n', 'Nothing that is done in time ends in vain.\n', 'Nothing that is done in t^ime ends in vain.'],
  ])('%s', (_, before, after, expected) => expect(cursorAfter(before, after)).toBe(expected))

  const randomWords = (random: () => number, count: number) => Array.from({ length: count }, () => `w${Math.floor(random() * 1e6)}`)
  const FORMS = [(line: string) => line, (line: string) => `## ${line}`, (line: string) => `- ${line}`, (line: string) => `> ${line}`, (line: string) => `| A |\n|---|\n| ${line} |`]

  type Line = { readonly form: number; readonly words: readonly string[] }
  const markdownOf = (lines: readonly Line[]) => lines.map(({ form, words }) => FORMS[form]!(words.join(' ') || 'none')).join('\n\n') + '\n'

  function edited(lines: readonly Line[], random: () => number): Line[] {
    const line = (words: readonly string[]): Line => ({ form: Math.floor(random() * FORMS.length), words })
    const change = (word: string) => (word === 'cursor' || random() < 0.7 ? [word] : randomWords(random, Math.floor(random() * 3)))
    return lines.flatMap((old) => {
      const isKept = old.words.includes('cursor') || random() < 0.8
      const words = old.words.flatMap(change)
      const rest = isKept ? [random() < 0.8 ? { ...old, words } : line(words)] : []
      return random() < 0.2 ? [line(randomWords(random, 4)), ...rest] : rest
    })
  }

  test.each(Array.from({ length: 60 }, (_, seed) => seed + 1))('in a random text with random changes (seed %i)', (seed) => {
    const random = randomNumbers(seed)
    const lines = Array.from({ length: 8 }, () => ({ form: Math.floor(random() * FORMS.length), words: randomWords(random, 6) }))
    lines[Math.floor(random() * 8)]!.words[Math.floor(random() * 6)] = 'cursor'
    expect(cursorAfter(markdownOf(lines).replace('cursor', 'cur^sor'), markdownOf(edited(lines, random)))).toContain('cur^sor')
  })
})

test('a selection keeps its words, and takes none that others add at its ends', () => {
  const { doc, selection } = selected('is hot', 'Tea is hot.\n', 'Tea, they say, is hot and good.\n')
  expect(doc.textBetween(selection.from, selection.to)).toBe('is hot')
  const longer = selected('is hot', 'Tea is hot.\n', 'Tea is very hot, too.\n')
  expect(longer.doc.textBetween(longer.selection.from, longer.selection.to)).toBe('is very hot')
})

test('changes that lie apart are steps of their own', () => {
  const { steps } = change('# Tea\n\nIt is hot.\n\nDrink it.\n', '# Green tea\n\nIt is hot.\n\nDrink it soon.\n')!
  expect(steps).toHaveLength(2)
})
