// Checked by the compiler: the component has a callback for each event of the element, and for no other.
import type { EventName as FrameEvent } from '../../../src/embed/protocol'
import type { EventName } from '../src/events'

type ElementEvent = FrameEvent | 'before-send' | 'page-state' | 'open' | 'close'

export const isComplete: [Exclude<ElementEvent, EventName>, Exclude<EventName, ElementEvent>] extends [never, never] ? true : never = true
