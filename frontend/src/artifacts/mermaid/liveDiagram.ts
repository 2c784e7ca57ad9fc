// A diagram of a text that keeps changing: drawn at most five times a second, always for the newest text in the end.
import type { Theme } from '../../sandbox/mermaid/messages'
import type { DrawResult } from './renderer'

export type DrawRequest = { readonly code: string; readonly theme: Theme; readonly streaming: boolean }
type Draw = (code: string, theme: Theme) => Promise<DrawResult>

/** Throttled, not debounced: a stream that never pauses still gets its pictures. */
export const EVERY_MS = 200

/** `show` gets each result with the text it is of; `stop` ends it. */
export function createLiveDiagram(draw: Draw, show: (drawn: DrawResult, code: string) => void) {
  let wanted: DrawRequest | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isStopped = false

  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void pump(), ms)
  }
  const pump = async () => {
    timer = undefined
    if (isBusy || !wanted) return
    const { code, theme } = wanted
    wanted = undefined
    isBusy = true
    const drawn = await draw(code, theme)
    isBusy = false
    if (isStopped) return
    show(drawn, code)
    if (wanted) schedule((wanted as DrawRequest).streaming ? EVERY_MS : 0)
  }
  return {
    want(next: DrawRequest) {
      wanted = next
      if (!next.streaming) {
        clearTimeout(timer)
        timer = undefined
      }
      schedule(next.streaming ? EVERY_MS : 0)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
