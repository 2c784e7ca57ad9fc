// What the toolbar and the keys of the rich editor do.
import { lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import type { Mark, MarkType, Node, NodeType, ResolvedPos } from 'prosemirror-model'
import { liftListItem, splitListItem, wrapInList } from 'prosemirror-schema-list'
import { TextSelection, type Command, type EditorState, type Transaction } from 'prosemirror-state'
import { addRowAfter, goToNextCell, isInTable } from 'prosemirror-tables'
import { schema } from './markdown/schema'

const { nodes, marks } = schema

export type MarkName = 'strong' | 'em' | 'strike' | 'code'
export type ListName = 'bullet' | 'ordered' | 'task'

export const mark = (name: MarkName): Command => toggleMark(marks[name], null, { removeWhenPresent: false })
export const heading = (level: number): Command => (level ? setBlockType(nodes.heading, { level }) : setBlockType(nodes.paragraph))
export const codeBlock: Command = (state, dispatch) => (isIn(state, nodes.code_block) ? setBlockType(nodes.paragraph) : setBlockType(nodes.code_block))(state, dispatch)
export const quote: Command = (state, dispatch) => (isIn(state, nodes.blockquote) ? lift : wrapIn(nodes.blockquote))(state, dispatch)

/** The depth of the innermost node of one of `types` around a position, or -1. */
function depthOf($from: ResolvedPos, ...types: readonly NodeType[]): number {
  for (let depth = $from.depth; depth > 0; depth--) if (types.includes($from.node(depth).type)) return depth
  return -1
}

const isIn = ({ selection }: EditorState, type: NodeType): boolean => depthOf(selection.$from, type) > 0

export function isMarked({ selection, storedMarks, doc }: EditorState, type: MarkType): boolean {
  const { from, to, $from, empty } = selection
  return empty ? Boolean(type.isInSet(storedMarks ?? $from.marks())) : doc.rangeHasMark(from, to, type)
}

/** The level of the heading that holds the selection, 0 in a paragraph, null elsewhere. */
export function levelOf({ selection: { $from } }: EditorState): number | null {
  const { type, attrs } = $from.parent
  return type === nodes.heading ? (attrs['level'] as number) : type === nodes.paragraph ? 0 : null
}

/** The kind of the innermost list around the selection. */
export function listOf({ selection: { $from } }: EditorState): ListName | null {
  const depth = depthOf($from, nodes.list_item)
  if (depth < 0) return null
  if ($from.node(depth).attrs['checked'] !== null) return 'task'
  return $from.node(depth - 1).type === nodes.ordered_list ? 'ordered' : 'bullet'
}

/** The positions of the list's items that the selection touches. */
function itemsIn({ selection: { $from, from, to } }: EditorState, depth: number): number[] {
  const places: number[] = []
  const start = $from.start(depth)
  $from.node(depth).forEach((item, offset) => {
    const at = start + offset
    if (at < to && at + item.nodeSize > from) places.push(at)
  })
  return places
}

function asTasks(tr: Transaction): Transaction {
  const { from, to } = tr.selection
  tr.doc.nodesBetween(from, to, ({ type }, at) => void (type === nodes.list_item && tr.setNodeAttribute(at, 'checked', false)))
  return tr
}

/** Makes the items around the selection a list of this kind, or no list if they are one. */
export const toggleList =
  (name: ListName): Command =>
  (state, dispatch) => {
    const type = name === 'ordered' ? nodes.ordered_list : nodes.bullet_list
    const checked = name === 'task' ? false : null
    const depth = depthOf(state.selection.$from, nodes.list_item) - 1
    if (depth < 0) return wrapInList(type)(state, dispatch && ((tr) => dispatch(checked === null ? tr : asTasks(tr))))
    if (listOf(state) === name) return liftListItem(nodes.list_item)(state, dispatch)
    const { tr } = state
    if (state.selection.$from.node(depth).type !== type) tr.setNodeMarkup(state.selection.$from.before(depth), type, { tight: state.selection.$from.node(depth).attrs['tight'] as boolean })
    for (const at of itemsIn(state, depth)) tr.setNodeAttribute(at, 'checked', checked)
    dispatch?.(tr.scrollIntoView())
    return true
  }

/** Enter in a list: the next item, open if it is a task. */
export const splitItem: Command = (state, dispatch) => {
  const depth = depthOf(state.selection.$from, nodes.list_item)
  const isTask = depth > 0 && state.selection.$from.node(depth).attrs['checked'] !== null
  return splitListItem(nodes.list_item, isTask ? { checked: false } : undefined)(state, dispatch)
}

/** Tab in a table: the next cell, in a new row after the last one. */
export const nextCell: Command = (state, dispatch, view) => {
  if (!isInTable(state)) return false
  if (goToNextCell(1)(state, dispatch)) return true
  if (!addRowAfter(state, dispatch)) return false
  return view ? goToNextCell(1)(view.state, dispatch) : true
}

const insertBlock = (state: EditorState, block: Node): Transaction => state.tr.replaceSelectionWith(block).scrollIntoView()

export const rule: Command = (state, dispatch) => {
  dispatch?.(insertBlock(state, nodes.horizontal_rule.create()))
  return true
}

const NEW_TABLE = { rows: 3, columns: 3 }

/** A new table, with the cursor in its first cell. */
export const table: Command = (state, dispatch) => {
  if (isInTable(state)) return false
  const row = (type: NodeType) => nodes.table_row.create(null, Array.from({ length: NEW_TABLE.columns }, () => type.create()))
  const rows = Array.from({ length: NEW_TABLE.rows }, (_, index) => row(index === 0 ? nodes.table_header : nodes.table_cell))
  const { from } = state.selection
  const tr = insertBlock(state, nodes.table.create(null, rows))
  tr.setSelection(TextSelection.near(tr.doc.resolve(Math.max(0, from - 1)), 1))
  dispatch?.(tr)
  return true
}

export const lineBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}

/** The link at the selection, and the text that has it. */
export function linkAt({ selection: { $from, from, to, empty }, doc }: EditorState): { readonly from: number; readonly to: number; readonly link: Mark | undefined } {
  const link = marks.link.isInSet(empty ? $from.marks() : (doc.nodeAt(from)?.marks ?? []))
  if (!link || !empty) return { from, to, link }
  const start = $from.start()
  let [first, last] = [from, from]
  $from.parent.forEach((node, offset) => {
    if (!link.isInSet(node.marks) || start + offset > from || start + offset + node.nodeSize < from) return
    first = start + offset
    last = first + node.nodeSize
  })
  return { from: first, to: last, link }
}

/** Links the selection, or writes the address as text. An empty address removes the link. */
export const setLink =
  (href: string): Command =>
  (state, dispatch) => {
    const { from, to, link } = linkAt(state)
    const { tr } = state
    if (link) tr.removeMark(from, to, link)
    if (href && from === to) tr.insert(from, schema.text(href, [marks.link.create({ href })]))
    else if (href) tr.addMark(from, to, marks.link.create({ href }))
    dispatch?.(tr.scrollIntoView())
    return true
  }
