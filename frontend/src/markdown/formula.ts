// Draws a formula without style attributes, which the page's policy forbids: KaTeX writes some for errors, frames and colours, and
// each would be reported as a violation. Set through CSSOM, the same styles are allowed.
import katex, { type KatexOptions } from 'katex'

/** KaTeX's own tree, before it becomes nodes (katex/src/domTree.ts). */
type Tree = { attributes?: Record<string, string>; children?: readonly Tree[]; toNode(): Node }
const { __renderToDomTree: treeOf } = katex as unknown as { __renderToDomTree(tex: string, options: KatexOptions): Tree }

const HELD = 'data-style'

function holdStyles(tree: Tree): void {
  const { attributes } = tree
  if (attributes?.['style'] !== undefined) {
    attributes[HELD] = attributes['style']
    delete attributes['style']
  }
  tree.children?.forEach(holdStyles)
}

export function drawFormula(host: HTMLElement, tex: string, options: KatexOptions): void {
  const tree = treeOf(tex, options)
  holdStyles(tree)
  host.replaceChildren(tree.toNode())
  for (const element of host.querySelectorAll<HTMLElement | MathMLElement>(`[${HELD}]`)) {
    element.style.cssText = element.getAttribute(HELD) ?? ''
    element.removeAttribute(HELD)
  }
}
