import type { Chunk } from './messages'

/** `chunks` with one more; text of the same stream grows the last one. */
export function withChunk(chunks: readonly Chunk[], next: Chunk): readonly Chunk[] {
  const last = chunks.at(-1)
  if (last?.stream !== next.stream) return [...chunks, next]
  return [...chunks.slice(0, -1), { stream: last.stream, text: last.text + next.text }]
}

/** Collects what a program writes and gives it on at most once a frame, however often it writes. */
export function createBatch(give: (chunks: readonly Chunk[]) => void, everyMs = 16) {
  let waiting: readonly Chunk[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length) give(waiting)
    waiting = []
  }
  const add = (chunk: Chunk) => {
    waiting = withChunk(waiting, chunk)
    timer ??= setTimeout(flush, everyMs)
  }
  return { add, flush }
}
