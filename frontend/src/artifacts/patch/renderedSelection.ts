// Finds the source of a selection in the rendered document.
import { EMPTY_DOCUMENT, updateDocument, type Block } from '../../markdown/blocks'
import type { TextRange } from '../editor/selectionButton'

/** What the reader selected: the displayed `words`, from block `first` to block `last` of `count`. */
export type RenderedSelection = { readonly words: string; readonly first: number; readonly last: number; readonly count: number }

/** The words of `range` inside `node`. */
function wordsIn(node: Node, range: Range): string {
  if (!range.intersectsNode(node)) return ''
  const part = document.createRange()
  part.selectNodeContents(node)
  if (node.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset)
  if (node.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset)
  return part.toString().trim()
}

/** The selection inside `root`, whose children are the blocks. Null: nothing is selected, or the selection starts elsewhere. */
export function readSelection(root: Node, selection: Selection | null): RenderedSelection | null {
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null
  const range = selection.getRangeAt(0)
  if (!root.contains(range.startContainer)) return null
  const words = Array.from(root.childNodes, (child) => wordsIn(child, range)) // a triple click ends at the start of the next block
  const first = words.findIndex(Boolean)
  const last = words.findLastIndex(Boolean)
  return first < 0 ? null : { words: words.slice(first, last + 1).join('\n'), first, last, count: words.length }
}

/** The range of the words, if they occur exactly once in their block's source; otherwise that of the whole blocks. Null: source and display do not match. */
export function sourceRangeOf(text: string, { words, first, last, count }: RenderedSelection): TextRange | null {
  const { blocks } = updateDocument(EMPTY_DOCUMENT, text)
  const [from, to] = [blocks[first], blocks[last]]
  const isTheSame = (block: Block) => text.startsWith(block.raw, block.start)
  if (blocks.length !== count || !from || !to || !isTheSame(from) || !isTheSame(to)) return null
  const at = first === last ? from.raw.indexOf(words) : -1
  const isOnce = at >= 0 && from.raw.indexOf(words, at + 1) < 0
  if (isOnce) return { start: from.start + at, end: from.start + at + words.length }
  return { start: from.start, end: to.start + to.raw.trimEnd().length }
}
