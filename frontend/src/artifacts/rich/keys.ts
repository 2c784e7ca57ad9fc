// The keys of the rich editor, and what becomes of Markdown that is typed.
import { baseKeymap, chainCommands, createParagraphNear, exitCode } from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import { InputRule, inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import type { MarkType } from 'prosemirror-model'
import { liftListItem, sinkListItem } from 'prosemirror-schema-list'
import type { Command, Plugin } from 'prosemirror-state'
import { goToNextCell } from 'prosemirror-tables'
import { heading, lineBreak, mark, nextCell, quote, splitItem, toggleList } from './commands'
import { schema } from './markdown/schema'

const { nodes, marks } = schema

const headings: Record<string, Command> = Object.fromEntries([0, 1, 2, 3, 4].map((level) => [`Mod-Alt-${level}`, heading(level)]))

/** Tab moves the focus out of the editor, except where it means something: in a list or a table. */
export const keys = (onLink: Command, onFind: Command): readonly Plugin[] => [
  keymap({
    ...headings,
    'Mod-z': undo,
    'Shift-Mod-z': redo,
    'Mod-y': redo,
    'Mod-b': mark('strong'),
    'Mod-i': mark('em'),
    'Mod-Shift-x': mark('strike'),
    'Mod-e': mark('code'),
    'Mod-k': onLink,
    'Mod-f': onFind,
    'Mod-Shift-7': toggleList('ordered'),
    'Mod-Shift-8': toggleList('bullet'),
    'Mod-Shift-9': toggleList('task'),
    'Mod-Shift-.': quote,
    'Mod-Enter': chainCommands(exitCode, createParagraphNear),
    'Shift-Enter': chainCommands(exitCode, lineBreak),
    Enter: splitItem,
    Backspace: undoInputRule,
    Tab: chainCommands(nextCell, sinkListItem(nodes.list_item)),
    'Shift-Tab': chainCommands(goToNextCell(-1), liftListItem(nodes.list_item)),
  }),
  keymap(baseKeymap),
]

/** `**bold**` and the like, once the last character of it is typed. */
function markRule(pattern: RegExp, type: MarkType): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const [, before = '', text = ''] = match
    return state.tr
      .replaceWith(start + before.length, end, schema.text(text, type.create().addToSet(state.doc.resolve(start).marks())))
      .removeStoredMark(type)
  })
}

const link = new InputRule(/(?:^|\s)(https?:\/\/[^\s<>]+[^\s<>.,;:!?)])(\s)$/, (state, match, start, end) => {
  const [whole, href = '', space = ''] = match
  const from = start + whole.length - href.length - space.length
  return state.tr.addMark(from, from + href.length, marks.link.create({ href })).insertText(space, end).removeStoredMark(marks.link)
})

const task = new InputRule(/^\[([ xX]?)\]\s$/, (state, [, box = ''], start, end) => {
  const { $from } = state.selection
  const item = $from.depth > 1 && $from.node(-1).type === nodes.list_item && $from.index(-1) === 0
  return item ? state.tr.delete(start, end).setNodeAttribute($from.before(-1), 'checked', box.toLowerCase() === 'x') : null
})

const line = new InputRule(/^(?:---|\*\*\*)$/, (state, _, start, end) => {
  const at = state.doc.resolve(start)
  if (at.parent.type !== nodes.paragraph || at.depth !== 1) return null
  return state.tr.delete(start, end).insert(at.before(), nodes.horizontal_rule.create())
})

export const typedMarkdown = (): Plugin =>
  inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, ([, signs = '']) => ({ level: signs.length })),
      textblockTypeInputRule(/^```([\w+#-]*)\s$/, nodes.code_block, ([, info = '']) => ({ info })),
      wrappingInputRule(/^\s*([-+*])\s$/, nodes.bullet_list),
      wrappingInputRule(/^(\d{1,4})[.)]\s$/, nodes.ordered_list, ([, start]) => ({ start: Number(start) })),
      wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
      task,
      line,
      link,
      markRule(/(^|[^*\w])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, marks.strong),
      markRule(/(^|[^*\w])\*([^*\s](?:[^*]*[^*\s])?)\*$/, marks.em),
      markRule(/(^|[^~\w])~~([^~\s](?:[^~]*[^~\s])?)~~$/, marks.strike),
      markRule(/(^|[^`\w])`([^`]+)`$/, marks.code),
    ],
  })
