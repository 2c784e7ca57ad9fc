// Whether the server can be reached, as far as the user should know. Short gaps do not count.
import { createStore, useStore } from '../ui/store'

/** Shorter gaps are not reported. */
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
