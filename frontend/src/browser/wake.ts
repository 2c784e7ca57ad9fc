// After sleep or a change of network, sockets may look open although they are dead.

const BEAT_MS = 5000
/** Longer than browsers delay the timers of a background page, which is one minute. */
const SLEPT_MS = 150_000

/** Calls `onWakeUp` when this page slept, and when the network came back. */
export function onWake(onWakeUp: () => void): void {
  let last = Date.now()
  setInterval(() => {
    const now = Date.now()
    if (now - last > SLEPT_MS) onWakeUp()
    last = now
  }, BEAT_MS)
  addEventListener('online', onWakeUp)
}
