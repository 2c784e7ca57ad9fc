import { Plugin } from 'prosemirror-state'
import { Decoration, DecorationSet } from 'prosemirror-view'
import { schema } from './markdown/schema'

/** Shows `text` in the empty paragraph that holds the cursor, at the top level of the document. */
export const placeholder = (text: string): Plugin =>
  new Plugin({
    props: {
      decorations({ doc, selection: { $from, empty } }) {
        const isShown = empty && $from.depth === 1 && $from.parent.type === schema.nodes.paragraph && $from.parent.content.size === 0
        return isShown ? DecorationSet.create(doc, [Decoration.node($from.before(), $from.after(), { class: 'rich-empty', 'data-placeholder': text })]) : null
      },
    },
  })
