import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'

/** Within this distance the reader counts as being at the end. */
const AT_END_PX = 40
/** From this distance on, the way back is offered. */
const AWAY_PX = 240

/** A longer way is taken at once: gliding over messages that are not measured yet would end short of the end. */
const SMOOTH_SCREENS = 3

const gapOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight

export type Follow = {
  /** True when the newest text is far below. */
  readonly away: boolean
  toEnd(smooth?: boolean): void
  readonly handlers: Pick<React.DOMAttributes<HTMLElement>, 'onScroll' | 'onKeyDown'>
}

/** Keep the end of a growing box in sight, only while the reader is there. */
export function useFollow(box: RefObject<HTMLElement | null>): Follow {
  const following = useRef(true)
  const seen = useRef({ top: 0, height: 0 })
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

  const handlers = useMemo(
    () => ({
      onScroll: () => {
        if (!box.current) return
        const { scrollTop: top, scrollHeight: height } = box.current
        const gap = gapOf(box.current)
        // Up, though nothing got shorter: by wheel, finger, key, scroll bar, focus or a search of the browser's, the reader left the end.
        if (top < seen.current.top - 1 && height >= seen.current.height && gap > 1) following.current = false
        else if (gap < AT_END_PX) following.current = true
        seen.current = { top, height }
        setAway(gap > AWAY_PX)
      },
      onKeyDown: (event: React.KeyboardEvent) => event.key === 'End' && toEnd(),
    }),
    [box, toEnd],
  )

  return { away, toEnd, handlers }
}
