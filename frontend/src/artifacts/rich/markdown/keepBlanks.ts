// Keeps what the editor shows beyond the Markdown of its text: lines that have no words yet, and blanks at the end of a block.
import { Fragment, type Node } from 'prosemirror-model'
import { originsOf } from './pieces'
import { schema } from './schema'
import { children, isEmptyParagraph } from './writing'

/** The text was `oldNode` here, and is read anew as `newNode`: what the member has just typed stays, although no Markdown has it. */
export function keepBlanks(oldNode: Node, newNode: Node): Node {
  if (newNode.isTextblock) return withBlanks(oldNode, newNode)
  const { lead, blocks } = blocksOf(oldNode)
  const origins = originsOf(blocks, children(newNode))
  const merged = children(newNode).flatMap((node, index) => {
    const origin = origins[index]
    const block = origin && blocks[origin.index]
    return block ? [origin.same ? block.node : keepBlanks(block.node, node), ...block.lines] : [node]
  })
  return newNode.copy(Fragment.from(origins[0]?.index === 0 ? [...lead, ...merged] : merged))
}

/** `lines`: the empty ones after it. */
type Block = { readonly node: Node; readonly lines: Node[] }

function blocksOf(parent: Node): { readonly lead: readonly Node[]; readonly blocks: readonly Block[] } {
  const lead: Node[] = []
  const blocks: Block[] = []
  children(parent).forEach((node, index) => {
    const isLine = isEmptyParagraph(node) && (index > 0 || parent.type.name === 'doc') // an item may begin with one
    if (isLine) (blocks.at(-1)?.lines ?? lead).push(node)
    else blocks.push({ node, lines: [] })
  })
  return { lead, blocks }
}

function withBlanks(oldNode: Node, newNode: Node): Node {
  const [blanks = ''] = /[ \t]+$/.exec(oldNode.textContent) ?? []
  const isKept = !blanks || !newNode.content.size || newNode.type.spec.code || /[ \t]$/.test(newNode.textContent)
  return isKept ? newNode : newNode.copy(newNode.content.addToEnd(schema.text(blanks, oldNode.lastChild?.marks)))
}
