import type { Chunk } from './messages'

/** Adds a chunk. Text of the same stream is appended to the last one. */
export function withChunk(chunks: readonly Chunk[], next: Chunk): readonly Chunk[] {
  const last = chunks.at(-1)
  if (last?.stream !== next.stream) return [...chunks, next]
  return [...chunks.slice(0, -1), { stream: last.stream, text: last.text + next.text }]
}

/** Collects the output of a program and passes it on at most once per animation frame. */
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
