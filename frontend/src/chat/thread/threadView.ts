import type { RefObject } from 'react'
import type { VirtualizerHandle } from 'virtua'

/** What moves through the list of messages. `leaveEnd`: the page itself shows another place than the end. */
export type ThreadView = { readonly list: RefObject<VirtualizerHandle | null>; readonly box: RefObject<HTMLElement | null>; leaveEnd(): void }
