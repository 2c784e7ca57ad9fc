/** The pause before an attempt. It is partly random, so that pages that lost the same server do not all come back at once. `luck`: from 0 to 1. */
export const backoffMs = (attempt: number, firstMs: number, longestMs: number, luck = Math.random()): number =>
  Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + luck / 2)

/** The server closed the socket because this page sent too much over it. */
const FLOOD = 1008
const FLOOD_PAUSE_MS = 10_000

/** The pause after a socket was closed with this code: the usual one, or at least ten seconds when the server says that it was too much. */
export const pauseAfterClose = (code: number | undefined, usualMs: number): number => (code === FLOOD ? FLOOD_PAUSE_MS + usualMs : usualMs)
