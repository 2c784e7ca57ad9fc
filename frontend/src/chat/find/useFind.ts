import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ChatMessage } from '../../api/messageTypes'
import type { Session } from '../session/session'
import type { ThreadView } from '../thread/threadView'
import { articleOf, clearMarks, firstInSight, markPlaces, rangeOf } from './marks'
import { nearest, occurrences, type Occurrence } from './occurrences'

/** What is above a place that was found, so that it does not begin at the edge. */
const ABOVE_PX = 96
/** For how many frames a place is brought back when it leaves the view. */
const SETTLING_FRAMES = 12

export const FIND_BOX = 'find'

export type Find = {
  readonly open: boolean
  readonly query: string
  /** Counted from 1; 0: nothing was found. */
  readonly place: number
  readonly count: number
  /** Earlier messages are still being loaded. */
  readonly loading: boolean
  /** The message that has to be rendered, because the current place is in it; -1: none. */
  readonly index: number
  search(query: string): void
  step(by: 1 | -1): void
  close(): void
}

/** Finds words in all messages of the branch that is shown. Those that are not here yet are loaded while the bar is open. */
export function useFind(session: Session, messages: readonly ChatMessage[], view: ThreadView): Find {
  const { list, box, leaveEnd } = view
  const [open, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState<Occurrence>()
  /** The message where the reader is. Not asked while messages are loaded: the list may be on its way back to where it was. */
  const reader = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (open) reader.current = firstInSight(box.current)
  }, [open, box])
  const loading = useWholeBranch(session, open)
  useFindKey(setOpen)

  const searchText = useDeferredValue(open ? query.trim() : '')
  const matches = useMemo(() => occurrences(messages, searchText), [messages, searchText])
  const place = current ? matches.findIndex(({ messageId, number }) => messageId === current.messageId && number === current.number) : -1
  const index = current ? messages.findIndex(({ id }) => id === current.messageId) : -1

  // Where to begin is decided once per text, and when all is here: a list that grows above can't be scrolled reliably.
  const [begunWith, setBegunWith] = useState('')
  useEffect(() => {
    if (begunWith === searchText || loading) return
    setBegunWith(searchText)
    setCurrent(nearest(matches, messages, messages.findIndex(({ id }) => id === reader.current)))
  }, [begunWith, searchText, matches, loading, messages])

  useLayoutEffect(() => {
    const root = box.current
    if (!current || !root || !open) return undefined
    const at = messages.findIndex(({ id }) => id === current.messageId)
    if (at < 0) return undefined
    leaveEnd()
    const show = () => {
      const top = articleOf(root, current.messageId)?.getBoundingClientRect().top ?? 0
      const range = rangeOf(root, searchText, current)
      list.current?.scrollToIndex(at, { align: 'start', offset: (range ? range.getBoundingClientRect().top - top : 0) - ABOVE_PX })
    }
    show()
    // Messages that have just come above are measured after this, and can move the view away again.
    let [frame, left] = [0, SETTLING_FRAMES]
    const check = () => {
      if (!isInSight(root, articleOf(root, current.messageId))) show()
      if (--left > 0) frame = requestAnimationFrame(check)
    }
    frame = requestAnimationFrame(check)
    return () => cancelAnimationFrame(frame)
  }, [current, open]) // only another place moves the view, not another message

  useEffect(() => {
    const root = box.current
    if (!searchText || !root) return undefined
    let frame = 0
    const mark = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => markPlaces(root, searchText, current))
    }
    mark()
    const observer = new MutationObserver(mark)
    observer.observe(root, { childList: true, characterData: true, subtree: true })
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
      clearMarks()
    }
  }, [searchText, current, box])

  const search = (text: string) => {
    if (!loading) reader.current = firstInSight(box.current)
    setQuery(text)
  }
  const step = (by: 1 | -1) => {
    if (loading) return
    const next = place < 0 ? nearest(matches, messages, index) : matches[(place + by + matches.length) % matches.length]
    if (next) setCurrent({ ...next }) // also when it is the same: the reader may have scrolled away
  }
  const close = () => {
    setOpen(false)
    setCurrent(undefined)
    box.current?.focus({ preventScroll: true })
  }
  return { open, query, place: place + 1, count: matches.length, loading, index: open ? index : -1, search, step, close }
}

function isInSight(box: HTMLElement, article: HTMLElement | null | undefined): boolean {
  if (!article) return false
  const [viewport, own] = [box.getBoundingClientRect(), article.getBoundingClientRect()]
  return own.bottom > viewport.top && own.top < viewport.bottom
}

/** Loads what is not here of the branch while `isNeeded`. Returns whether it is still loading. */
function useWholeBranch(session: Session, isNeeded: boolean): boolean {
  const [loading, setLoading] = useState(false)
  useEffect(() => {
    if (!isNeeded) return undefined
    let goesOn = true
    setLoading(true)
    // A frame later, the list has taken up what was added above.
    void session.older.loadAll(() => goesOn).finally(() => requestAnimationFrame(() => goesOn && setLoading(false)))
    return () => {
      goesOn = false
      setLoading(false)
    }
  }, [session, isNeeded])
  return loading
}

/** Ctrl/Cmd+F is ours in a conversation, and the browser's in dialogs, in editors, and when it is pressed again in our field. */
function useFindKey(setOpen: (open: boolean) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest('[role=dialog], [role=search], .cm-editor, .rich')) return
      event.preventDefault()
      setOpen(true)
      document.getElementById(FIND_BOX)?.focus()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [setOpen])
}
