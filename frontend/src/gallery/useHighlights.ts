import { useEffect, type RefObject } from 'react'

/** Around each value in a Markdown text: characters that are never seen and that Markdown leaves alone. */
export const START = '\u2063'
export const END = '\u2064'
const NAME = 'template-value'

/** The values inside an element, from marker to marker. Markers may lie in different nodes, such as around a bold value. */
function rangesIn(root: Node): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const ranges: Range[] = []
  let open: Range | undefined
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: marker, index } of (node.nodeValue ?? '').matchAll(/[\u2063\u2064]/g)) {
      if (marker === START) {
        open = new Range()
        open.setStart(node, index)
      } else if (open) {
        open.setEnd(node, index + 1)
        ranges.push(open)
        open = undefined
      }
    }
  }
  return ranges
}

/** Colours the values in a text that was rendered as elements, where the browser can (CSS Custom Highlights). */
export function useHighlights(root: RefObject<HTMLElement | null>, text: string): void {
  useEffect(() => {
    if (!root.current || !('highlights' in CSS)) return undefined
    CSS.highlights.set(NAME, new Highlight(...rangesIn(root.current)))
    return () => void CSS.highlights.delete(NAME)
  }, [root, text])
}
