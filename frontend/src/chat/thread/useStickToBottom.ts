import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { useTextSelection } from './useTextSelection'

/** Within this distance from the end, the reader counts as being there. */
const AT_END_PX = 40
/** From this distance on, the jump button is shown. */
const AWAY_PX = 240

/** A longer way is not animated: messages on the way are not measured yet, so an animation would stop short of the end. */
const SMOOTH_SCREENS = 3

const gapOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight

export type StickToBottom = {
  /** Whether the end is far below. */
  readonly away: boolean
  toEnd(smooth?: boolean): void
  /** The page itself shows another place. */
  leaveEnd(): void
  readonly handlers: Pick<React.DOMAttributes<HTMLElement>, 'onScroll' | 'onKeyDown' | 'onPointerDown'>
}

/** Keeps the end of a growing box in view while the reader is there. The box itself may also shrink: for a long text in the message box, or a phone's keyboard. */
export function useStickToBottom(box: RefObject<HTMLElement | null>): StickToBottom {
  const following = useRef(true)
  const lastPosition = useRef({ top: 0, height: 0 })
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

  /** The height of the box or of its content changed. The view scrolls only if the reader was at the end. */
  const settle = useCallback(() => {
    if (following.current) toEnd()
    else if (box.current) setAway(gapOf(box.current) > AWAY_PX)
  }, [box, toEnd])

  const selected = useCallback(
    (any: boolean) => {
      if (any) following.current = false
      settle()
    },
    [settle],
  )
  const { now: selecting, onPointerDown } = useTextSelection(box, selected)

  useEffect(() => {
    const outer = box.current
    const content = outer?.firstElementChild
    if (!outer || !content) return undefined
    const observer = new ResizeObserver(() => !selecting.current && settle())
    observer.observe(outer)
    observer.observe(content)
    return () => observer.disconnect()
  }, [box, selecting, settle])

  const handlers = useMemo(
    () => ({
      onScroll: () => {
        if (!box.current) return
        const { scrollTop: top, scrollHeight: height } = box.current
        const gap = gapOf(box.current)
        // The view moved up although the content did not shrink: the reader left the end, by whatever means.
        if (top < lastPosition.current.top - 1 && height >= lastPosition.current.height && gap > 1) following.current = false
        else if (gap < AT_END_PX) following.current = true
        lastPosition.current = { top, height }
        setAway(gap > AWAY_PX)
      },
      onPointerDown,
      onKeyDown: (event: React.KeyboardEvent) => event.key === 'End' && toEnd(),
    }),
    [box, onPointerDown, toEnd],
  )

  const leaveEnd = useCallback(() => {
    following.current = false
  }, [])

  return { away, toEnd, leaveEnd, handlers }
}
