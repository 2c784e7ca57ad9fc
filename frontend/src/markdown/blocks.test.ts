import { describe, expect, test } from 'vitest'
import { randomNumbers } from '../testing/randomNumbers'
import { EMPTY_DOCUMENT, updateDocument, type MarkdownDocument } from './blocks'

const ANSWER = `# A title

A paragraph with **bold**, \`code\` and a [link](https://example.test).
It has two lines.

\`\`\`python
def f(x):

    return x
\`\`\`

1. one
2. two
   - nested

- [x] done
- [ ] open

| a | b |
|--|--:|
| 1 | 2 |

$$
\\sum_{i=1}^{n} i
$$

> quoted
> twice

Price: $5 and $6. Formula: $x^2$.

Heading by underline
====================

The end.
`

function streamed(text: string, seed: number, largest: number): MarkdownDocument {
  const random = randomNumbers(seed)
  let document = EMPTY_DOCUMENT
  for (let end = 0; end < text.length; ) {
    end = Math.min(text.length, end + 1 + Math.floor(random() * largest))
    document = updateDocument(document, text.slice(0, end))
  }
  return document
}

const shape = (document: MarkdownDocument) => document.blocks.map((block) => [block.token.type, block.raw.trim()])

describe('blocks of a growing text', () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))('any chunking ends in the blocks of one full read (seed %i)', (seed) => {
    const largest = seed % 5 === 0 ? 200 : 20
    expect(shape(streamed(ANSWER, seed, largest))).toEqual(shape(updateDocument(EMPTY_DOCUMENT, ANSWER)))
  })

  test('finished blocks keep their identity', () => {
    const before = updateDocument(EMPTY_DOCUMENT, ANSWER.slice(0, 300))
    const after = updateDocument(before, ANSWER.slice(0, 340))
    expect(after.blocks[0]).toBe(before.blocks[0])
    expect(after.blocks.slice(0, before.blocks.length - 2)).toEqual(before.blocks.slice(0, -2))
  })

  test('a text that does not extend the former one is read from its start', () => {
    const former = updateDocument(EMPTY_DOCUMENT, 'one\n\ntwo\n\nthree')
    expect(shape(updateDocument(former, 'other'))).toEqual([['paragraph', 'other']])
  })

  test('the last read mends what a look at the tail got wrong', () => {
    const pieces = ['- a\n', '\n', '    code\n', '```\n', '| a |\n', '|--|\n', '===\n', '> q\n', '$$\n', '<div>\n', 'text\n', '1. x\n']
    const random = randomNumbers(7)
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join('')
      const last = updateDocument(streamed(text, round, 5), text, true)
      expect(shape(last)).toEqual(shape(updateDocument(EMPTY_DOCUMENT, text)))
    }
  })

  test('money is not a formula', () => {
    const tokens = updateDocument(EMPTY_DOCUMENT, 'From $5 to $6, but $x^2$.').blocks[0]?.token
    const types = tokens && 'tokens' in tokens ? tokens.tokens?.map((token) => token.type) : []
    expect(types?.filter((type) => type === 'inlineMath')).toHaveLength(1)
  })

  test('two dollars are a formula within a sentence, too', () => {
    const tokens = updateDocument(EMPTY_DOCUMENT, 'So $$ x^2 $$, $$y$$ and $$ $$.').blocks[0]?.token
    const inside = tokens && 'tokens' in tokens ? tokens.tokens?.filter((token) => token.type === 'inlineMath') : []
    expect(inside?.map((token) => 'text' in token && token.text)).toEqual(['x^2', 'y'])
  })
})
