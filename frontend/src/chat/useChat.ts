import { useCallback, useSyncExternalStore } from 'react'
import throttle from 'throttleit'
import type { Chat } from './session/chat'
import type { ChatSnapshot } from './session/chatState'

/** Streaming text is rendered at most this often. */
const DRAW_MS = 45

/** Messages, status and error of a conversation. A change of the status is drawn at once. */
export function useChat({ state: { store } }: Chat): ChatSnapshot {
  const subscribe = useCallback(
    (draw: () => void) => {
      const drawText = throttle(draw, DRAW_MS)
      let { status } = store.get()
      return store.subscribe(() => {
        const changed = status !== store.get().status
        status = store.get().status
        if (changed) draw()
        else drawText()
      })
    },
    [store],
  )
  return useSyncExternalStore(subscribe, store.get)
}
