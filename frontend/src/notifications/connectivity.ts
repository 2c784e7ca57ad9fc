// Whether the server can be reached, as a person wants to know it: short gaps are none.
import { createStore, useStore } from '../ui/store'

/** A gap shorter than this is nobody's business. */
const SHORT_GAP_MS = 2500

const offline = createStore(false)
let timer: ReturnType<typeof setTimeout> | undefined

export const useOffline = (): boolean => useStore(offline)

export function reportConnectionLost(afterMs = SHORT_GAP_MS): void {
  timer ??= setTimeout(() => offline.set(true), afterMs)
}

export function reportConnectionRestored(): void {
  clearTimeout(timer)
  timer = undefined
  offline.set(false)
}
