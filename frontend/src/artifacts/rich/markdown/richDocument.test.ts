// The promise of the rich editor: nothing that was not touched changes by a byte.
import { readdirSync, readFileSync } from 'node:fs'
import type { Node } from 'prosemirror-model'
import { EditorState } from 'prosemirror-state'
import { describe, expect, test } from 'vitest'
import { openDocument, writeDocument } from './richDocument'
import { schema } from './schema'

const DOCS = new URL('../../../../../docs/', import.meta.url)
const REAL = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(new URL(name, DOCS), 'utf8')] as const)

const WRITTEN: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['blank lines alone', '\n\n'],
  ['blank lines around', '\n\n# A\n\n\n\nb\n\n\n'],
  ['no last line end', 'a\n\nb'],
  ['the line ends of Windows', '# A\r\n\r\nline one\r\nline two\r\n\r\n- a\r\n- b\r\n'],
  ['mixed line ends', 'a\r\n\r\nb\n\nc\rd\n'],
  ['headings of both kinds', 'Title\n=====\n\nSub\n---\ntext\n### Third ###\ntext\n'],
  ['text right before a list', 'Of these:\n- a\n- b\ntext goes on\n\n1. one\n2. two\n'],
  ['lists of every kind', '* a\n* b\n\n+ c\n\n+ d\n\n1) x\n2) y\n   - z\n\n     more\n     1. deep\n- [ ] open\n- [x] done\n'],
  ['a list that counts on', '7. a\n8. b\n9. c\n   more of c\n10. d\n'],
  ['a list that never counts', '1. a\n1. b\n1. c\n'],
  ['tables', '| a   |  b |\n|:----|---:|\n| 1 \\| x | `p\\|q` |\n| **2** |    |\n\na | b\n--|--\n1 | 2\n'],
  ['code', '```python title="x"\nprint(1)\n\n\nprint(2)\n```\n\n~~~~\n~~~\n~~~~\n\n    indented\n\n    more\n\n``` \nunclosed\n\n'],
  ['quotes', '> a\nlazy\n>\n> - b\n> > c\n\n> d\n'],
  ['links', 'See [a][b], [b], <https://x.org>, https://y.org/a_b_c and www.z.org. [t](u "w") ![p](q)\n\n[b]: https://b.org "B"\n'],
  ['emphasis', '**a** __b__ *c* _d_ ***e*** ~~f~~ `g` ``h`i`` a**b**c **"q"** snake_case 2 * 3 * 4\n'],
  ['line breaks', 'one  \ntwo\\\nthree\nfour\n'],
  ['blanks at the edges of lines', 'one \n\n  two\n three  \n\n> a \n> **b** \n\n- c \n- d\n  e \n\n# f \n\n`g ` \t\n\n- h\n- i '],
  ['what it does not know', '<div class="x">\n\n# in\n\n</div>\n\n<!-- note -->\n\nText[^1] with <b>html</b> &amp; &copy; and $a_b$.\n\n$$\nx^2\n$$\n\n[^1]: The note.\n\n:::warning\nlook\n:::\n'],
  ['settings on top', '---\ntitle: A\n---\n\n# A\n\n---\n\nb\n'],
  ['escapes', '\\*not\\* \\# 1\\. a \\[b\\] \\`c\\` C:\\dir\n\n\\- no list\n'],
  ['other scripts', 'שלום **עולם**\n\n日本語。**太字**です。\n\n🍵 tea\n'],
]
const CORPUS = [...WRITTEN, ...REAL]

test.each(CORPUS)('%s: open and write gives the same bytes', (_, text) => {
  const document = openDocument(text)
  expect(writeDocument(document, document.doc)).toBe(text)
})

/** Where the first line of text in block `index` ends. */
function textEndIn(doc: Node, index: number): number | null {
  let start = 0
  for (let before = 0; before < index; before++) start += doc.child(before).nodeSize
  let end: number | null = null
  doc.nodesBetween(start, start + doc.child(index).nodeSize, (node, position) => {
    if (end === null && node.isTextblock && node.content.size) end = position + 1 + node.content.size
    return end === null
  })
  return end
}

const lines = (text: string): string[] => text.split(/\r?\n/)

/** The first and last line of `before` that differ in `after`. */
function changedLines(before: string, after: string): readonly [number, number] {
  const [old, next] = [lines(before), lines(after)]
  let start = 0
  while (start < old.length && old[start] === next[start]) start++
  let end = 0
  while (end < Math.min(old.length, next.length) - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++
  return [start, old.length - end - 1]
}

test.each([...WRITTEN.map((one) => [...one, 1] as const), ...REAL.map((one) => [...one, 19] as const)])('%s: a word in one block changes the lines of that block alone', (_, text, step) => {
  const document = openDocument(text)
  let position = lines(document.lead).length - 1
  document.pieces.forEach(({ raw, gap }, index) => {
    const place = textEndIn(document.doc, index)
    const [first, last] = [position, position + lines(raw).length - 1]
    position = last + lines(gap).length - 1
    if (place === null || index % step) return
    const newDoc = EditorState.create({ doc: document.doc }).tr.insertText(' word', place).doc
    const markdown = writeDocument(document, newDoc)
    expect(markdown).toContain('word')
    const [from, to] = changedLines(text, markdown)
    expect(from, markdown).toBeGreaterThanOrEqual(first)
    expect(to, markdown).toBeLessThanOrEqual(last)
    if (document.doc.child(index).type.name !== 'source') expect(openDocument(markdown).doc.textContent).toBe(newDoc.textContent)
  })
})

test('blanks at the edges of lines are no part of a block', () => {
  const blocks = ['one ', '  one', 'one\t', 'one \ntwo  ', '**one** ', '> one \n> two ', '- one \n- two ', '1. one \n   - two ']
  for (const block of blocks) {
    const { doc } = openDocument(block)
    expect(doc.child(0).type.name, block).not.toBe('source')
    expect(doc.eq(openDocument(block.replace(/[ \t]+$/gm, '').trimStart()).doc), block).toBe(true)
  }
})

/** The document after `change`, written. */
function edited(text: string, change: (state: EditorState) => Node): string {
  const document = openDocument(text)
  return writeDocument(document, change(EditorState.create({ doc: document.doc })))
}

function insertAfter(text: string, target: string, added: string): string {
  return edited(text, (state) => {
    let at = -1
    state.doc.descendants((node, position) => {
      if (at < 0 && node.isText && node.text?.includes(target)) at = position + node.text.indexOf(target) + target.length
    })
    return state.tr.insertText(added, at).doc
  })
}

describe('inside a block', () => {
  test('an item of a list, and a row of a table, change alone', () => {
    expect(insertAfter('*  a\n*  b\n\n*  c\n', 'b', '!')).toBe('*  a\n* b!\n\n*  c\n')
    expect(insertAfter('| a   |  b |\n|:----|---:|\n| one | 2 |\n| three |3|\n', 'one', '!')).toBe('| a   |  b |\n|:----|---:|\n| one! | 2 |\n| three |3|\n')
  })

  test('the numbers of a list go on counting', () => {
    const added = schema.nodes.list_item.create(null, schema.nodes.paragraph.create(null, schema.text('new')))
    const text = edited('1. a\n2. b\n3. c\n\nend\n', (state) => state.tr.insert(1, added).doc)
    expect(text).toBe('1. new\n2. a\n3. b\n4. c\n\nend\n')
  })
})

test.each([
  ['a mark of its own is escaped only where it would mean something', 'snake_case 2 * 3', 'snake_case', ' 4', 'snake_case 4 2 * 3\n'],
  ['a blank at the end escapes nothing', 'snake_case 2 * 3', '3', ' ', 'snake_case 2 * 3\n'],
  ['a blank between two lines escapes nothing', 'snake_case\nb', 'snake_case', ' ', 'snake_case\nb\n'],
  ['two blanks between two lines break no line', 'snake_case 2 * 3\nb', '3', '  ', 'snake_case 2 * 3\nb\n'],
  ['two blanks in bold text between two lines break no line', '**a\nb** snake_case', 'a', '  ', '**a\nb** snake_case\n'],
  ['two blanks before a line that is broken stay out', 'snake_case\\\nb', 'snake_case', '  ', 'snake_case\\\nb\n'],
  ['four blanks at the start of a line make no code', 'snake_case', '', '    ', 'snake_case\n'],
  ['stars that were typed stay stars', 'a b', 'a', ' *x*', 'a \\*x\\* b\n'],
  ['a pipe in a table', '| a |\n| --- |\n| b |', 'b', ' | c', '| a |\n| --- |\n| b \\| c |\n'],
])('%s', (_, text, target, added, expected) => {
  expect(insertAfter(`${text}\n`, target, added)).toBe(expected)
})

const paragraph = (...content: Node[]): Node => schema.nodes.doc.create(null, schema.nodes.paragraph.create(null, content))
const { strong, em, code, link } = schema.marks

test.each([
  ['spaces at the edge of bold text', [schema.text('a '), schema.text('b ', [strong.create()]), schema.text('c')], 'a **b** c\n'],
  ['one mark in another', [schema.text('a ', [strong.create()]), schema.text('b', [strong.create(), em.create()])], '**a *b***\n'],
  ['a backtick in code', [schema.text('a`b', [code.create()])], '``a`b``\n'],
  ['an address with brackets', [schema.text('x', [link.create({ href: 'https://a.b/(c)' })])], '[x](<https://a.b/(c)>)\n'],
  ['what looks like a heading', [schema.text('# a')], '\\# a\n'],
  ['what looks like a list', [schema.text('1. a')], '1\\. a\n'],
])('writing %s', (_, content, expected) => {
  expect(writeDocument(openDocument(''), paragraph(...content))).toBe(expected)
})
