import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'

/** Within this distance the reader counts as being at the end. */
const AT_END_PX = 40
/** From this distance on, the way back is offered. */
const AWAY_PX = 240

/** A longer way is taken at once: gliding over messages that are not measured yet would end short of the end. */
const SMOOTH_SCREENS = 3

const LEAVING_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])

const gapOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight

export type Follow = {
  /** True when the newest text is far below. */
  readonly away: boolean
  toEnd(smooth?: boolean): void
  readonly handlers: Pick<React.DOMAttributes<HTMLElement>, 'onScroll' | 'onWheel' | 'onTouchMove' | 'onPointerDown' | 'onPointerUp' | 'onKeyDown' | 'onFocus'>
}

/** Keep the end of a growing box in sight, only while the reader is there. */
export function useFollow(box: RefObject<HTMLElement | null>): Follow {
  const following = useRef(true)
  const dragging = useRef(false)
  const [away, setAway] = useState(false)

  const toEnd = useCallback(
    (smooth = false) => {
      following.current = true
      if (!box.current) return
      const near = gapOf(box.current) < SMOOTH_SCREENS * box.current.clientHeight
      box.current.scrollTo({ top: box.current.scrollHeight, behavior: smooth && near ? 'smooth' : 'instant' })
    },
    [box],
  )

  useEffect(() => {
    const content = box.current?.firstElementChild
    if (!content) return undefined
    const observer = new ResizeObserver(() => following.current && toEnd())
    observer.observe(content)
    return () => observer.disconnect()
  }, [box, toEnd])

  const handlers = useMemo(() => {
    /** The reader moved: follow again only if that led to the end. Read after the browser has scrolled. */
    const moved = () => requestAnimationFrame(() => box.current && (following.current = gapOf(box.current) < AT_END_PX))
    return {
      onScroll: () => {
        if (!box.current) return
        setAway(gapOf(box.current) > AWAY_PX)
        if (dragging.current) moved()
      },
      onWheel: moved,
      onTouchMove: moved,
      onPointerDown: () => (dragging.current = true),
      onPointerUp: () => (dragging.current = false),
      onFocus: moved, // Tab, or a press, may bring something above into sight
      onKeyDown: (event: React.KeyboardEvent) => {
        if (event.key === 'End') toEnd()
        else if (LEAVING_KEYS.has(event.key)) moved()
      },
    }
  }, [box, toEnd])

  return { away, toEnd, handlers }
}
