// Which way a user means to scroll. The position of the view alone can't tell: it also moves when messages are measured, drawn or folded,
// and on a slow device these moves are seen late and mixed with others.
export type Direction = 'up' | 'down'

const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])
const DOWN_KEYS = new Set(['ArrowDown', 'PageDown', 'End'])

/** Whether something inside `box` scrolls instead of it: a reasoning, or a wide table that is also high. */
function isTakenInside(target: EventTarget | null, box: HTMLElement, direction: Direction): boolean {
  for (let place = target instanceof Element ? target : null; place && place !== box; place = place.parentElement) {
    const room = direction === 'up' ? place.scrollTop : place.scrollHeight - place.clientHeight - place.scrollTop
    if (room >= 1 && /auto|scroll/.test(getComputedStyle(place).overflowY)) return true
  }
  return false
}

const directionOf = (distance: number): Direction | null => (distance === 0 ? null : distance < 0 ? 'up' : 'down')

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select, [role=menu] *, [role=listbox] *'))

/** Where a wheel turns the box to. Control and the wheel zoom. */
export function wheelDirection({ deltaY, ctrlKey, target }: Pick<WheelEvent, 'deltaY' | 'ctrlKey' | 'target'>, box: HTMLElement): Direction | null {
  const direction = ctrlKey ? null : directionOf(deltaY)
  return direction && !isTakenInside(target, box, direction) ? direction : null
}

/** Where a finger pulls the content. `distance`: how far down the finger moved, in pixels. */
export function touchDirection(distance: number, target: EventTarget | null, box: HTMLElement): Direction | null {
  const direction = directionOf(-distance)
  return direction && !isTakenInside(target, box, direction) ? direction : null
}

/** Where a key scrolls to, if it scrolls. */
export function keyDirection({ key, shiftKey, target }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'target'>): Direction | null {
  if (isWriting(target)) return null
  if (key === ' ' && target instanceof HTMLElement && target.matches('button, summary, [role=button]')) return null
  if (UP_KEYS.has(key) || (key === ' ' && shiftKey)) return 'up'
  return DOWN_KEYS.has(key) || key === ' ' ? 'down' : null
}
