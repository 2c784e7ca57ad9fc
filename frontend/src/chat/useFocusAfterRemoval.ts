import { useEffect, useRef } from 'react'
import { returnToMessageBox } from '../navigation/shortcuts'

/** Leads into the message box when what had the focus in the chat is gone, such as Stop after the answer has ended. */
export function useFocusAfterRemoval(): void {
  const last = useRef<EventTarget | null>(null)
  useEffect(() => {
    const end = new AbortController()
    const isInChat = (target: EventTarget | null) => target instanceof Element && target.closest('main') !== null
    addEventListener('focusin', ({ target }) => (last.current = isInChat(target) ? target : null), { signal: end.signal })
    addEventListener('pointerdown', () => (last.current = null), { signal: end.signal }) // a click beside everything takes the focus away
    return () => end.abort()
  }, [])
  useEffect(() => {
    const isGone = last.current instanceof Element && !last.current.isConnected
    if (isGone && document.activeElement === document.body) returnToMessageBox()
  })
}
