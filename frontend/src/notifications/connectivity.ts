// Whether the server can be reached, and why not, as far as the user should know. Short gaps do not count.
import { createStore, useStore } from '../ui/store'

/** `busy`: the server answers, and can't serve this page just now. `too-much`: it closed the connection, as there were too many, or too much was sent. */
export type Gap = 'offline' | 'busy' | 'too-much'

/** Shorter gaps are not reportedGap. */
const SHORT_GAP_MS = 2500

/** Null: the server can be reached. */
export const reportedGap = createStore<Gap | null>(null)
let why: Gap = 'offline'
let timer: ReturnType<typeof setTimeout> | undefined

export const useGap = (): Gap | null => useStore(reportedGap)

export function reportConnectionLost(gap: Gap = 'offline', afterMs = SHORT_GAP_MS): void {
  why = gap
  if (reportedGap.get()) reportedGap.set(why)
  timer ??= setTimeout(() => reportedGap.set(why), afterMs)
}

export function reportConnectionRestored(): void {
  clearTimeout(timer)
  timer = undefined
  reportedGap.set(null)
}

/** For a page without a socket that would notice it: the browser says whether there is a network. */
export function followBrowserNetwork(): void {
  addEventListener('offline', () => reportConnectionLost('offline', 0))
  addEventListener('online', reportConnectionRestored)
}
