import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { keyDirection, touchDirection, wheelDirection, type Direction } from './scrollIntent'
import { useScrollBar } from './useScrollBar'
import { useTextSelection } from './useTextSelection'

/** Within this distance from the end, a reader who scrolls down counts as being there. */
const AT_END_PX = 40
/** From this distance on, the jump button is shown. */
const AWAY_PX = 240

/** A longer way is not animated: messages on the way are not measured yet, so an animation would stop short of the end. */
const SMOOTH_SCREENS = 3

/** So long after the last growth the view is held at the end also where only its place changed: the list moves it after it measured messages. */
const UNREST_MS = 2000

const gapOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight

export type StickToBottom = {
  /** Whether the end is far below. */
  readonly away: boolean
  toEnd(smooth?: boolean): void
  /** The page itself shows another place. */
  leaveEnd(): void
  readonly handlers: Pick<
    React.DOMAttributes<HTMLElement>,
    'onScroll' | 'onWheel' | 'onTouchStart' | 'onTouchMove' | 'onTouchEnd' | 'onKeyDown' | 'onPointerDown' | 'onFocus'
  >
}

/**
 * Keeps the end of a growing box in view until the user leaves it: by wheel, touch, key, scroll bar or a selection, and by nothing else.
 * The box itself may also shrink: for a long text in the message box, or a phone's keyboard.
 */
export function useStickToBottom(box: RefObject<HTMLElement | null>): StickToBottom {
  const following = useRef(true)
  /** Whether the user's last move went down, so that reaching the end means to stay there. */
  const returning = useRef(false)
  const lastTop = useRef(0)
  const grownAt = useRef(-Infinity)
  const gliding = useRef(false)
  const [away, setAway] = useState(false)

  const toEnd = useCallback(
    (smooth = false) => {
      following.current = true
      if (!box.current) return
      gliding.current = smooth && gapOf(box.current) < SMOOTH_SCREENS * box.current.clientHeight
      box.current.scrollTo({ top: box.current.scrollHeight, behavior: gliding.current ? 'smooth' : 'instant' })
    },
    [box],
  )

  const leaveEnd = useCallback(() => {
    following.current = false
    returning.current = false
    gliding.current = false
  }, [])

  /** The height of the box or of its content changed. The view scrolls only if the reader is at the end. */
  const settle = useCallback(() => {
    grownAt.current = performance.now()
    if (following.current) toEnd()
    else if (box.current) setAway(gapOf(box.current) > AWAY_PX)
  }, [box, toEnd])

  const move = useCallback(
    (direction: Direction | null) => {
      if (direction === 'down') returning.current = true
      else if (direction === 'up' && box.current && box.current.scrollHeight > box.current.clientHeight + 1) leaveEnd()
    },
    [box, leaveEnd],
  )

  const onSelection = useCallback(
    (any: boolean) => {
      if (any) leaveEnd()
      settle()
    },
    [leaveEnd, settle],
  )
  const { now: selecting, onPointerDown: startSelection } = useTextSelection(box, onSelection)

  const onHold = useCallback(() => {
    leaveEnd()
    returning.current = true
  }, [leaveEnd])
  const onRelease = useCallback((movedUp: boolean) => !movedUp && toEnd(), [toEnd])
  const { onPointerDown: startScrollBar } = useScrollBar(box, following, onHold, onRelease)

  useEffect(() => {
    const outer = box.current
    const content = outer?.firstElementChild
    if (!outer || !content) return undefined
    const observer = new ResizeObserver(() => !selecting.current && settle())
    observer.observe(outer)
    observer.observe(content)
    return () => observer.disconnect()
  }, [box, selecting, settle])

  const handlers = useMemo(() => {
    let fingerY = 0
    const trackFinger = (event: React.TouchEvent) => {
      const y = event.changedTouches[0]?.clientY ?? fingerY
      if (box.current) move(touchDirection(y - fingerY, event.target, box.current))
      fingerY = y
    }
    return {
      onScroll: () => {
        if (!box.current) return
        const { scrollTop: top } = box.current
        const gap = gapOf(box.current)
        if (gap <= 1) gliding.current = false
        if (returning.current && top > lastTop.current && gap < AT_END_PX) following.current = true
        else if (following.current && gap > 1 && !gliding.current && !selecting.current && performance.now() - grownAt.current < UNREST_MS) toEnd()
        lastTop.current = top
        setAway(gap > AWAY_PX)
      },
      onWheel: (event: React.WheelEvent) => box.current && move(wheelDirection(event.nativeEvent, box.current)),
      onTouchStart: (event: React.TouchEvent) => {
        fingerY = event.touches[0]?.clientY ?? 0
      },
      onTouchMove: trackFinger,
      onTouchEnd: trackFinger, // of a quick move there may be no other event
      onKeyDown: (event: React.KeyboardEvent) => {
        if (event.defaultPrevented) return
        const direction = keyDirection(event.nativeEvent)
        if (direction && event.key === 'End') toEnd()
        else move(direction)
      },
      onPointerDown: (event: React.PointerEvent) => {
        startSelection(event)
        startScrollBar(event)
      },
      /** The Tab key may go to what is out of sight. */
      onFocus: ({ target }: React.FocusEvent) => {
        if (!box.current || target === box.current || !target.matches(':focus-visible')) return
        const top = target.getBoundingClientRect().top - box.current.getBoundingClientRect().top + box.current.scrollTop
        if (top < box.current.scrollHeight - box.current.clientHeight) leaveEnd()
      },
    }
  }, [box, leaveEnd, move, selecting, startScrollBar, startSelection, toEnd])

  return { away, toEnd, leaveEnd, handlers }
}
