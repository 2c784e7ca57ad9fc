import { EditorState, type Plugin } from 'prosemirror-state'
import type { DecorationSet } from 'prosemirror-view'
import { expect, test } from 'vitest'
import { replaceDifference } from '../rich/markdown/difference'
import { openDocument } from '../rich/markdown/richDocument'
import { richFreshText } from './richFreshText'

const read = (text: string) => openDocument(text).doc
const open = (isShared: boolean) => EditorState.create({ doc: read('Tea is hot.\n'), plugins: [richFreshText(() => isShared)] })
const receive = (state: EditorState, text: string) => state.apply(replaceDifference(state, read(text))!)
function marked(state: EditorState): readonly string[] {
  const [plugin] = state.plugins as [Plugin]
  const marks = plugin.props.decorations!.call(plugin, state) as DecorationSet
  return marks.find().map(({ from, to }) => state.doc.textBetween(from, to))
}

test('what others write is marked, and moves with what is written before it', () => {
  const state = receive(open(true), 'Tea is very hot.\n')
  expect(marked(state)).toEqual(['very '])
  expect(marked(state.apply(state.tr.insertText('Our ', 1)))).toEqual(['very '])
})

test('what this member writes is not marked, here or elsewhere', () => {
  const state = open(true)
  expect(marked(state.apply(state.tr.insertText('Our ', 1)))).toEqual([])
  expect(marked(receive(open(false), 'Tea is very hot.\n'))).toEqual([])
})
