/** The pause before an attempt. Pages that lost the same server come back to it at different moments: `luck` is between 0 and 1. */
export const backoffMs = (attempt: number, firstMs: number, longestMs: number, luck = Math.random()): number =>
  Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + luck / 2)
