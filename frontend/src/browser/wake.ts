// A device that slept, or changed its network, has sockets that look open and are dead.

const BEAT_MS = 5000
/** Longer than a browser holds back the timers of a page in the background (one minute). */
const SLEPT_MS = 150_000

/** Calls `onWakeUp` when the clock ran on without this page, and when the network came back. */
export function onWake(onWakeUp: () => void): void {
  let last = Date.now()
  setInterval(() => {
    const now = Date.now()
    if (now - last > SLEPT_MS) onWakeUp()
    last = now
  }, BEAT_MS)
  addEventListener('online', onWakeUp)
}
