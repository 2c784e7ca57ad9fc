import { markdown, type Token } from './lexer'

/** A top-level block of a document. The object stays the same while its text does, so that React can skip it. */
export type Block = { readonly key: number; readonly start: number; readonly raw: string; readonly token: Token }
export type MarkdownDocument = { readonly text: string; readonly blocks: readonly Block[] }

export const EMPTY_DOCUMENT: MarkdownDocument = { text: '', blocks: [] }

/** An unfinished line may still belong to the block before it, so the last two blocks are parsed again. */
const LOOKBACK = 2

const isSame = (block: Block | undefined, start: number, token: Token): block is Block =>
  block !== undefined && block.start === start && block.raw === token.raw && block.token.type === token.type

/** Parses `text`. If it extends the previous text, only the end is parsed again. `whole` parses everything. */
export function updateDocument(previous: MarkdownDocument, text: string, whole = false): MarkdownDocument {
  if (text === previous.text && !whole) return previous
  const reusableCount = !whole && text.startsWith(previous.text) ? Math.max(0, previous.blocks.length - LOOKBACK) : 0
  const blocks = previous.blocks.slice(0, reusableCount)
  let position = reusableCount > 0 ? (previous.blocks[reusableCount]?.start ?? 0) : 0
  for (const token of markdown.lexer(text.slice(position))) {
    const start = position
    position += token.raw.length
    if (token.type === 'space' || token.type === 'def') continue
    const old = previous.blocks[blocks.length]
    blocks.push(isSame(old, start, token) ? old : { key: blocks.length, start, raw: token.raw, token })
  }
  return { text, blocks }
}
