import { useCallback, useEffect, useMemo, type RefObject } from 'react'
import type { SuggestionItem } from '../../api/generated'
import { anchorSuggestions } from './anchors'
import { shownPlaces, type ShownPlace } from './shownPlaces'

/** Such marks change no element, so the rendered document stays as React made it. */
const NAME = 'suggestion'
/** Here, because the CSS compiler does not know this selector. */
const LOOK = `::highlight(${NAME}) { background-color: var(--bad-soft); text-decoration: underline; text-decoration-color: var(--bad); }`
const NONE = [] as const

/** The text node and offset of a place in the text of `root`. */
function pointOf(root: Node, offset: number): [Node, number] | null {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  let left = offset
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node as Text
    if (left <= length) return [node, left]
    left -= length
  }
  return null
}

function rangeOf(root: Element, { block, part }: ShownPlace): Range | null {
  const element = root.childNodes[block]
  if (!element) return null
  const range = document.createRange()
  range.selectNodeContents(element)
  const [start, end] = part ? [pointOf(element, part.start), pointOf(element, part.end)] : []
  if (start && end) {
    range.setStart(...start)
    range.setEnd(...end)
  }
  return range
}

let hasLook = false
function addLook(): void {
  if (hasLook) return
  hasLook = true
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(LOOK)
  document.adoptedStyleSheets.push(sheet)
}

/** Marks the open suggestions in the rendered document that `box` shows. Returns a function that brings one of them into view. */
export function useSuggestionMarks(box: RefObject<HTMLElement | null>, text: string, suggestions: readonly SuggestionItem[] | undefined): (id: string) => void {
  const anchors = useMemo(() => (suggestions ? anchorSuggestions(text, suggestions) : NONE), [text, suggestions])
  const rangesOf = useCallback(
    (suggestionId?: string): Range[] => {
      const root = box.current?.querySelector('.md')
      if (!root) return []
      const blockTexts = Array.from(root.childNodes, (child) => child.textContent ?? '')
      const places = anchors.filter(({ suggestion }) => !suggestionId || suggestion.id === suggestionId).flatMap((anchor) => shownPlaces(text, anchor, blockTexts))
      return places.flatMap((place) => rangeOf(root, place) ?? [])
    },
    [box, text, anchors],
  )
  useEffect(() => {
    const root = box.current?.querySelector('.md')
    if (!root || !anchors.length || !('highlights' in CSS)) return undefined
    const mark = () => void CSS.highlights.set(NAME, new Highlight(...rangesOf()))
    addLook()
    mark()
    const observer = new MutationObserver(mark) // code gets its colours, and formulas their shape, later
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      CSS.highlights.delete(NAME)
    }
  }, [box, anchors, rangesOf])
  return useCallback((id: string) => rangesOf(id)[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' }), [rangesOf])
}
