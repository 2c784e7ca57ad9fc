import { useLayoutEffect, useRef, useState, type RefObject } from 'react'
import type { RichEditor } from '../rich/useRichEditor'
import { passagesOf } from './marks'
import { placed } from './placing'

const GAP_PX = 8
/** From the top of a line's text to the top of its thread. */
const RISE_PX = 4

type Tops = Readonly<Record<string, number>>
/** `bottom`: where the lowest one ends. */
type Places = { readonly tops: Tops; readonly bottom: number }
const areSame = (a: Tops, b: Tops): boolean => Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([id, top]) => b[id] === top)

const boxesIn = (root: HTMLElement) => new Map(Array.from(root.querySelectorAll<HTMLElement>('[data-thread]'), (box) => [box.dataset['thread']!, box]))

/** Where the elements with `data-thread` stand in `column`, which scrolls with the text. They come as `ids`, in the order of the text. */
export function usePlaces(editor: RichEditor, column: RefObject<HTMLElement | null>, ids: readonly string[], active: string | null, least: number): Places {
  const [places, setPlaces] = useState<Places>({ tops: {}, bottom: 0 })
  const { view, state } = editor
  const key = ids.join()
  const place = () => {
    const [text, root] = [view.current, column.current]
    if (!text || !root) return
    const boxes = boxesIn(root)
    const origin = root.getBoundingClientRect().top + RISE_PX
    const passages = passagesOf(text.state)
    const topOf = (id: string) => (passages.has(id) ? Math.round(text.coordsAtPos(passages.get(id)!.from, 1).top - origin) : null)
    const threads = ids.map((id) => ({ passageTop: topOf(id), height: boxes.get(id)?.offsetHeight ?? 0 }))
    const all = placed(threads, { active: active === null ? null : ids.indexOf(active), least, gap: GAP_PX })
    const tops = Object.fromEntries(ids.map((id, index) => [id, all[index]!]))
    const bottom = Math.max(0, ...threads.map(({ height }, index) => all[index]! + height))
    setPlaces((before) => (before.bottom === bottom && areSame(before.tops, tops) ? before : { tops, bottom }))
  }
  const newest = useRef(place)
  newest.current = place
  useLayoutEffect(() => newest.current(), [view, column, state, key, active, least])
  const plugins = state?.plugins // a new editor has others
  useLayoutEffect(() => {
    const [text, root] = [view.current, column.current]
    if (!text || !root) return undefined
    const observer = new ResizeObserver(() => newest.current()) // pictures and fonts come later, and the panel can be made wider
    for (const element of [text.dom, ...boxesIn(root).values()]) observer.observe(element)
    return () => observer.disconnect()
  }, [view, column, plugins, key, least])
  return places
}
