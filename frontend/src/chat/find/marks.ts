import { fold, placesOf, type Occurrence } from './occurrences'

/** Names of the highlights in base.css. */
const ALL = 'find'
const CURRENT = 'find-current'
const BLOCK = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6'

/** The element of a message, if it is rendered. */
export const articleOf = (root: ParentNode, messageId: string): HTMLElement | null => root.querySelector(`[data-message="${CSS.escape(messageId)}"]`)

/** The id of the first message that is on screen. */
export function firstInSight(box: HTMLElement | null): string | undefined {
  const top = box?.getBoundingClientRect().top ?? 0
  const articles = [...(box?.querySelectorAll<HTMLElement>('[data-message]') ?? [])]
  return articles.find((article) => article.getBoundingClientRect().bottom > top)?.dataset.message
}

/** Marks the places with these words in the messages that are rendered. The DOM stays as it is: the browser paints the ranges (CSS Custom Highlight API). */
export function markPlaces(root: ParentNode, query: string, current: Occurrence | undefined): void {
  if (!('highlights' in CSS)) return
  const articles = [...root.querySelectorAll<HTMLElement>('[data-message]')]
  CSS.highlights.set(ALL, new Highlight(...articles.flatMap((article) => rangesIn(article, query))))
  const place = current && rangeOf(root, query, current)
  const highlight = new Highlight(...(place ? [place] : []))
  highlight.priority = 1
  CSS.highlights.set(CURRENT, highlight)
}

export function clearMarks(): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete(ALL)
  CSS.highlights.delete(CURRENT)
}

/** Where an occurrence is on screen. Undefined when it is not rendered, or hidden in what is folded. */
export function rangeOf(root: ParentNode, query: string, { messageId, number }: Occurrence): Range | undefined {
  const article = articleOf(root, messageId)
  const ranges = article ? rangesIn(article, query) : []
  return ranges[number] ?? ranges.at(-1)
}

function rangesIn(article: HTMLElement, query: string): Range[] {
  const needle = fold(query)
  if (!needle) return []
  return [...article.querySelectorAll('.md')].flatMap((text) => {
    const nodes = textNodes(text)
    const whole = nodes.map(({ node, gap }) => `${gap}${node.data}`).join('')
    return [...placesOf(needle, fold(whole))].map((start) => rangeBetween(nodes, start, start + needle.length))
  })
}

/** `start`: of the node's text in the text of all. `gap`: what separates it from the block before. */
type Piece = { readonly node: Text; readonly start: number; readonly gap: string }

function textNodes(root: Element): Piece[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const pieces: Piece[] = []
  let length = 0
  let block: Element | null | undefined
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    const inside = node.parentElement?.closest(BLOCK)
    const gap = pieces.length && inside !== block ? '\0' : ''
    block = inside
    pieces.push({ node, start: length + gap.length, gap })
    length += gap.length + node.data.length
  }
  return pieces
}

function rangeBetween(pieces: readonly Piece[], start: number, end: number): Range {
  const range = new Range()
  const holder = (place: number) => pieces.findLast((piece) => piece.start <= place)!
  const first = holder(start)
  const last = holder(end - 1)
  range.setStart(first.node, start - first.start)
  range.setEnd(last.node, end - last.start)
  return range
}
