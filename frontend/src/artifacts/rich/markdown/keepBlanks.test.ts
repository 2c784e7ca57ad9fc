import { splitBlock } from 'prosemirror-commands'
import { EditorState, TextSelection } from 'prosemirror-state'
import { expect, test } from 'vitest'
import { openDocument, writeDocument } from './richDocument'
import { keepBlanks } from './keepBlanks'

const TEXTS = ['# Tea\n\nIt is hot.\n', 'It is **hot**.\n\n- one\n- two\n\n> Quiet.\n', '| A | B |\n|---|---|\n| 1 | 2 |\n', '```python\nprint("tea") \n```\n', '']
const read = (text: string) => openDocument(text).doc

/** The editor in which the member typed `input` behind `words`; `\n` is the key. */
function typedBehind(text: string, words: string, input: string): EditorState {
  let state = EditorState.create({ doc: read(text) })
  let end = 0
  state.doc.descendants((node, position) => {
    if (node.text?.includes(words)) end = position + node.text.indexOf(words) + words.length
  })
  state = state.apply(state.tr.setSelection(TextSelection.create(state.doc, end)))
  if (input === '\n') splitBlock(state, (transaction) => (state = state.apply(transaction)))
  else state = state.apply(state.tr.insertText(input))
  return state
}

test('without blanks it is the text that was read', () => {
  for (const before of TEXTS) for (const after of TEXTS) expect(keepBlanks(read(before), read(after)).eq(read(after))).toBe(true)
})

test.each([
  ['a blank', 'It is hot.', ' ', 'Tea: hot'],
  ['a new line', 'It is hot.', '\n', 'Tea: hot'],
  ['a blank in an item', 'one', ' ', '- two, and more'],
  ['a blank in a paragraph where somebody else writes', 'It is hot.', ' ', 'It is very hot.'],
])('%s that was just typed stays when others write', (_, words, input, others) => {
  const text = 'Tea\n\nIt is hot.\n\n- one\n- two\n'
  const [from, to] = others.startsWith('-') ? ['- two', others] : others.startsWith('Tea') ? ['Tea', others] : ['It is hot.', others]
  const { doc } = typedBehind(text, words, input)
  const [theirs, here] = [text.replace(from, to), openDocument(text)]
  expect(writeDocument(here, doc)).toBe(text) // no Markdown has it
  const merged = keepBlanks(doc, read(theirs))
  expect(merged.content.size).toBe(read(theirs).content.size + (input === '\n' ? 2 : 1))
  expect(writeDocument(openDocument(theirs), merged)).toBe(theirs)
})

test('an empty document has no line of its own when others begin to write', () => {
  expect(keepBlanks(read(''), read('Tea\n')).eq(read('Tea\n'))).toBe(true)
})
