// Keeps what the editor shows beyond the Markdown of its text: lines that have no words yet, and blanks at the end of a block.
import { Fragment, type Node } from 'prosemirror-model'
import { originsOf } from './pieces'
import { schema } from './schema'
import { children, isEmptyParagraph } from './writing'

/** The text was `shown` here, and is `read` anew: what the member has just typed stays, although no Markdown has it. */
export function keepBlanks(shown: Node, read: Node): Node {
  if (read.isTextblock) return withBlanks(shown, read)
  const { lead, blocks } = written(shown)
  const origins = originsOf(blocks, children(read))
  const merged = children(read).flatMap((node, index) => {
    const origin = origins[index]
    const block = origin && blocks[origin.index]
    return block ? [origin.same ? block.node : keepBlanks(block.node, node), ...block.lines] : [node]
  })
  return read.copy(Fragment.from(origins[0]?.index === 0 ? [...lead, ...merged] : merged))
}

/** `lines`: the empty ones after it. */
type Block = { readonly node: Node; readonly lines: Node[] }

function written(parent: Node): { readonly lead: readonly Node[]; readonly blocks: readonly Block[] } {
  const lead: Node[] = []
  const blocks: Block[] = []
  children(parent).forEach((node, index) => {
    const isLine = isEmptyParagraph(node) && (index > 0 || parent.type.name === 'doc') // an item may begin with one
    if (isLine) (blocks.at(-1)?.lines ?? lead).push(node)
    else blocks.push({ node, lines: [] })
  })
  return { lead, blocks }
}

function withBlanks(shown: Node, read: Node): Node {
  const [blanks = ''] = /[ \t]+$/.exec(shown.textContent) ?? []
  const isKept = !blanks || !read.content.size || read.type.spec.code || /[ \t]$/.test(read.textContent)
  return isKept ? read : read.copy(read.content.addToEnd(schema.text(blanks, shown.lastChild?.marks)))
}
