import { useCallback, useEffect, useRef, type RefObject } from 'react'
import { controlAt } from '../../browser/pressCapture'

/** What is selected somewhere in the box. */
const hasSelection = (box: HTMLElement | null): boolean => {
  const selection = getSelection()
  return Boolean(box && selection && !selection.isCollapsed && box.contains(selection.anchorNode))
}

type Selecting = { readonly now: RefObject<boolean>; onPointerDown(event: React.PointerEvent): void }

/** Whether a mouse is held down on text of the box: text that moves under it would select itself. `ended` hears of each release, and whether text was selected. */
export function useTextSelection(box: RefObject<HTMLElement | null>, ended: (selected: boolean) => void): Selecting {
  const now = useRef(false)
  useEffect(() => {
    const released = () => {
      if (!now.current) return
      now.current = false
      ended(hasSelection(box.current))
    }
    addEventListener('pointerup', released)
    addEventListener('pointercancel', released) // what was selected is dragged away
    return () => {
      removeEventListener('pointerup', released)
      removeEventListener('pointercancel', released)
    }
  }, [box, ended])
  const onPointerDown = useCallback(
    ({ pointerType, button, target }: React.PointerEvent) => {
      now.current = pointerType === 'mouse' && button === 0 && target !== box.current && !controlAt(target) // the box itself: its scroll bar
      // virtua keeps the end of what grows in place after a scroll downwards (`shouldKeep` of its store), after one upwards it does not.
      if (now.current) box.current?.scrollBy({ top: -1, behavior: 'instant' })
    },
    [box],
  )
  return { now, onPointerDown }
}
