import { useCallback, useEffect, useRef, type RefObject } from 'react'

type Grip = { readonly top: number; readonly stays: boolean }
type ScrollBar = { onPointerDown(event: React.PointerEvent): void }

const MIDDLE_BUTTON = 1 // scrolls while it is held, or until the next press

/**
 * While the scroll bar is held, only the user moves the view: `onHold` is called first. `onRelease` says at the end whether a reader
 * who had followed moved up. Browsers may report the release only with the next move of the mouse.
 */
export function useScrollBar(box: RefObject<HTMLElement | null>, following: RefObject<boolean>, onHold: () => void, onRelease: (movedUp: boolean) => void): ScrollBar {
  const grip = useRef<Grip | null>(null)
  useEffect(() => {
    const end = (event: Event) => {
      if (event instanceof PointerEvent && event.type === 'pointermove' && event.buttons !== 0) return
      const { current } = grip
      grip.current = null
      if (current?.stays && box.current) onRelease(box.current.scrollTop < current.top - 1)
    }
    const endings = ['pointerup', 'pointercancel', 'pointermove', 'blur'] as const
    for (const name of endings) addEventListener(name, end)
    return () => endings.forEach((name) => removeEventListener(name, end))
  }, [box, onRelease])
  const onPointerDown = useCallback(
    ({ target, button, pointerType }: React.PointerEvent) => {
      const isOnBar = target === box.current || button === MIDDLE_BUTTON
      if (pointerType === 'touch' || !isOnBar || !box.current) return
      grip.current = { top: box.current.scrollTop, stays: following.current }
      onHold()
    },
    [box, following, onHold],
  )
  return { onPointerDown }
}
