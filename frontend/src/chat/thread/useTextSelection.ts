import { useCallback, useEffect, useRef, type RefObject } from 'react'
import { controlAt } from '../../browser/pressCapture'

/** Whether text in the box is selected. */
const hasSelection = (box: HTMLElement | null): boolean => {
  const selection = getSelection()
  return Boolean(box && selection && !selection.isCollapsed && box.contains(selection.anchorNode))
}

type TextSelectionState = { readonly now: RefObject<boolean>; onPointerDown(event: React.PointerEvent): void }

/**
 * Whether the user is selecting text in the box with the mouse. The text must not move meanwhile, or more of it would be selected.
 * `onEnd` is called on each release with whether text is selected.
 */
export function useTextSelection(box: RefObject<HTMLElement | null>, onEnd: (selected: boolean) => void): TextSelectionState {
  const now = useRef(false)
  useEffect(() => {
    const released = () => {
      if (!now.current) return
      now.current = false
      onEnd(hasSelection(box.current))
    }
    addEventListener('pointerup', released)
    addEventListener('pointercancel', released) // the selected text is being dragged
    return () => {
      removeEventListener('pointerup', released)
      removeEventListener('pointercancel', released)
    }
  }, [box, onEnd])
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
