// What the author asks of the menu of blocks: `/` at the beginning of a paragraph, and letters of a block's name.
import type { Command, EditorState } from 'prosemirror-state'
import { isInTable } from 'prosemirror-tables'
import { schema } from './markdown/schema'

const MAX_QUERY_CHARS = 20 // longer than any name
const ASKED = new RegExp(`^/([^/\\s][^/\\n]{0,${MAX_QUERY_CHARS - 1}})?$`)

/** Where the `/` stands, and what follows it up to the cursor. */
export type SlashQuery = { readonly at: number; readonly text: string }

export function slashQuery(state: EditorState): SlashQuery | null {
  const { $from, empty } = state.selection
  if (!empty || $from.parent.type !== schema.nodes.paragraph || isInTable(state)) return null
  const match = ASKED.exec($from.parent.textBetween(0, $from.parentOffset, undefined, '\uFFFC'))
  return match ? { at: $from.start(), text: match[1] ?? '' } : null
}

/** Takes the question out of the text, and then runs `command` there. */
export const answerSlash =
  ({ at, text }: SlashQuery, command: Command): Command =>
  (state, dispatch, view) => {
    dispatch?.(state.tr.delete(at, at + 1 + text.length))
    return view ? command(view.state, dispatch, view) : true
  }

/** Those whose name has a word that begins with what was typed, or that Markdown begins so. */
export function matchingBlocks<T extends { readonly label: string; readonly markdown: string }>(blocks: readonly T[], text: string): readonly T[] {
  const query = text.trim().toLocaleLowerCase()
  const begins = (label: string) => ` ${label.toLocaleLowerCase()}`.includes(` ${query}`)
  return blocks.filter(({ label, markdown }) => begins(label) || (query !== '' && markdown.startsWith(query)))
}
