// A diagram of a text that keeps changing: drawn at most five times a second, always for the newest text in the end.
import type { Theme } from '../../sandbox/mermaid/messages'
import type { Drawn } from './renderer'

export type Wanted = { readonly code: string; readonly theme: Theme; readonly streaming: boolean }
type Draw = (code: string, theme: Theme) => Promise<Drawn>

/** Throttled, not debounced: a stream that never pauses still gets its pictures. */
export const EVERY_MS = 200

/** `show` gets each result with the text it is of; `stop` ends it. */
export function createLive(draw: Draw, show: (drawn: Drawn, code: string) => void) {
  let wanted: Wanted | undefined
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
    if (wanted) schedule((wanted as Wanted).streaming ? EVERY_MS : 0)
  }
  return {
    want(next: Wanted) {
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
