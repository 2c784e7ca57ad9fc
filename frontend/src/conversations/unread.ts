// What is on display counts as read, as long as somebody can see the page.
import { useEffect, useSyncExternalStore } from 'react'
import { markAsRead, useConversations } from './store'

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

const isVisible = (): boolean => document.visibilityState === 'visible'

/** Marks the answers of the displayed conversation as read; returns how many others have an unread one. */
export function useUnread(displayed: string | undefined): number {
  const { items } = useConversations()
  const visible = useSyncExternalStore(onVisibility, isVisible)
  const unread = items.filter((item) => item.unread)
  const isHere = visible && unread.some((item) => item.id === displayed)
  useEffect(() => {
    if (isHere && displayed) markAsRead(displayed)
  }, [isHere, displayed])
  return isHere ? unread.length - 1 : unread.length
}
