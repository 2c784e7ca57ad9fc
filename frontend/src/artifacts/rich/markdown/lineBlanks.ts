// Blanks at the edges of lines, which mean nothing (CommonMark 4.8, 6.8). The grammar gives them back, and members type them.
import { Fragment, type Node } from 'prosemirror-model'
import { schema } from './schema'

const { soft_break, hard_break } = schema.nodes
const { code } = schema.marks

const endsLine = (node: Node | undefined): boolean => !node || node.type === soft_break || node.type === hard_break

function trimLines(content: readonly Node[]): Node[] {
  return content.flatMap((node, index) => {
    if (!node.isText || code.isInSet(node.marks)) return [node]
    let text = node.text ?? ''
    if (endsLine(content[index - 1])) text = text.replace(/^[ \t]+/, '')
    if (endsLine(content[index + 1])) text = text.replace(/[ \t]+$/, '')
    return text ? [schema.text(text, node.marks)] : []
  })
}

/** The block as its Markdown means it. */
export function withoutLineBlanks(block: Node): Node {
  if (block.type.spec.code || block.isLeaf) return block
  return block.copy(Fragment.from(block.isTextblock ? trimLines(block.children) : block.children.map(withoutLineBlanks)))
}
