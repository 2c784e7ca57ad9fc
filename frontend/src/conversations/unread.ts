// The displayed conversation counts as read while the page is visible.
import { useEffect, useSyncExternalStore } from 'react'
import { markAsRead, useConversations } from './store'

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

const isVisible = (): boolean => document.visibilityState === 'visible'

/** Marks the displayed conversation as read. Returns how many others have an unread answer. */
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
