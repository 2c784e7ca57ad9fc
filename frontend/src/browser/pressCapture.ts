/** A pointer that moved farther since it was pressed means to leave the button, or to drag. */
const LEAVES_PX = 12

const CONTROL = 'button, summary, a[href]'

/** What a press on `target` is for, if it is for anything but selecting text. */
export const controlAt = (target: EventTarget | null): Element | null => (target instanceof Element ? target.closest(CONTROL) : null)

/**
 * Let a press count for the button that it began on, though the button moves away before the release: an answer grows, a line above folds.
 * Browsers dispatch a click to the element that has captured the pointer (Pointer Events 3, section 4.2.3); touch has that by itself.
 */
export function startPressCapture(): void {
  document.addEventListener('pointerdown', capture)
}

function capture(event: PointerEvent): void {
  if (!event.isTrusted || event.pointerType === 'touch' || event.button !== 0) return
  const control = controlAt(event.target)
  if (!control || (event.target as Element).hasPointerCapture(event.pointerId)) return
  control.setPointerCapture(event.pointerId)
  const { clientX, clientY, pointerId } = event
  const moved = (later: Event) => {
    if (later instanceof PointerEvent && Math.hypot(later.clientX - clientX, later.clientY - clientY) > LEAVES_PX) control.releasePointerCapture(pointerId)
  }
  control.addEventListener('pointermove', moved)
  control.addEventListener('lostpointercapture', () => control.removeEventListener('pointermove', moved), { once: true })
}
