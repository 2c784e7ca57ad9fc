/** The same numbers for the same seed, so a failure can be repeated. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32
}
