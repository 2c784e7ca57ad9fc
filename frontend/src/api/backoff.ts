/** The pause before an attempt. It is partly random, so that pages that lost the same server do not all come back at once. `luck`: from 0 to 1. */
export const backoffMs = (attempt: number, firstMs: number, longestMs: number, luck = Math.random()): number =>
  Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + luck / 2)
