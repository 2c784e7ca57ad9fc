// Draws the diagram of a text that keeps changing: at most five times a second, and the last drawing is of the newest text.
import type { Theme } from '../../sandbox/mermaid/messages'
import type { DrawResult } from './renderer'

export type DrawRequest = { readonly code: string; readonly theme: Theme; readonly streaming: boolean }
type Draw = (code: string, theme: Theme) => Promise<DrawResult>

/** Throttled, not debounced, so that a stream without a pause still shows pictures. */
const INTERVAL_MS = 200

/** `show` gets each result with the text that it belongs to. */
export function createLiveDiagram(draw: Draw, show: (result: DrawResult, code: string) => void) {
  let pending: DrawRequest | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isStopped = false

  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void pump(), ms)
  }
  const pump = async () => {
    timer = undefined
    if (isBusy || !pending) return
    const { code, theme } = pending
    pending = undefined
    isBusy = true
    const result = await draw(code, theme)
    isBusy = false
    if (isStopped) return
    show(result, code)
    if (pending) schedule((pending as DrawRequest).streaming ? INTERVAL_MS : 0)
  }
  return {
    want(next: DrawRequest) {
      pending = next
      if (!next.streaming) {
        clearTimeout(timer)
        timer = undefined
      }
      schedule(next.streaming ? INTERVAL_MS : 0)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
