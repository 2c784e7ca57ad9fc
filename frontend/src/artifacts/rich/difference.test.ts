import { EditorState } from 'prosemirror-state'
import { expect, test } from 'vitest'
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
  const moved = transaction.mapping.map(at)
  expect(transaction.doc.textBetween(moved, moved + 5)).toBe('drink')
  expect(transaction.mapping.mapResult(at).deleted).toBe(false)
})
