/** A pointer that moves farther than this after the press is leaving the button, or dragging. */
const LEAVES_PX = 12

const CONTROL = 'button, summary, a[href]'

/** The control that a press on `target` is for. Null: the press selects text. */
export const controlAt = (target: EventTarget | null): Element | null => (target instanceof Element ? target.closest(CONTROL) : null)

/**
 * Makes a press count for the button on which it began, even if the button moves before the release: an answer may grow, or a line above may fold.
 * Browsers dispatch a click to the element that captured the pointer (Pointer Events 3, section 4.2.3). Touch captures by default.
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
  const onMove = (later: Event) => {
    if (later instanceof PointerEvent && Math.hypot(later.clientX - clientX, later.clientY - clientY) > LEAVES_PX) control.releasePointerCapture(pointerId)
  }
  control.addEventListener('pointermove', onMove)
  control.addEventListener('lostpointercapture', () => control.removeEventListener('pointermove', onMove), { once: true })
}
