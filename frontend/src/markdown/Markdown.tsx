// Markdown as React elements, also while it streams: blocks, inline markup, code with highlighting, formulas.
import { memo, useRef, type ReactNode } from 'react'
import remend from 'remend'
import { EMPTY_DOCUMENT, updateDocument, type Block } from './blocks'
import { markdown } from './lexer'
import { renderBlock } from './render'

/** Blocks in which unfinished markup, such as `**bold`, is closed while it is being typed. */
const HAS_MARKUP = new Set(['paragraph', 'heading', 'list', 'blockquote', 'table', 'text'])

function closeOpenMarkup(block: Block): ReactNode {
  const fixed = HAS_MARKUP.has(block.token.type) ? remend(block.raw) : block.raw
  return renderBlock(fixed === block.raw ? block.token : (markdown.lexer(fixed)[0] ?? block.token))
}

const BlockView = memo(function BlockView({ block, live }: { block: Block; live: boolean }) {
  return live ? closeOpenMarkup(block) : renderBlock(block.token)
})

/** Renders Markdown that may still be streaming. Finished blocks are not rendered again, and there is no HTML string. */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const document = useRef(EMPTY_DOCUMENT)
  const wasStreaming = useRef(streaming)
  const justEnded = wasStreaming.current && !streaming
  document.current = updateDocument(document.current, text, justEnded)
  wasStreaming.current = streaming
  const { blocks } = document.current
  return (
    <div className="md">
      {blocks.map((block, index) => (
        <BlockView key={block.key} block={block} live={streaming && index === blocks.length - 1} />
      ))}
    </div>
  )
}
