// Comments at the height of what they are about: a column beside the text, or on a narrow window marks in the margin that open them.
import { useEffect, useRef, useState, type RefObject } from 'react'
import { t } from '@lingui/core/macro'
import { useMedia } from '../../browser/useMedia'
import type { RichEditor } from '../rich/useRichEditor'
import type { Passage } from './anchors'
import { CommentField } from './CommentField'
import { CommentHeader } from './CommentHeader'
import { passagesOf } from './marks'
import { InColumn, InMargin } from './PlacedThread'
import { Quote, ThreadCard } from './ThreadCard'
import { isResolved, type Draft, type Thread } from './threads'
import { usePlaces } from './usePlaces'
import type { Threads } from './useThreads'

const WIDE = '(min-width: 1200px)'
/** A narrower panel has no room for a column beside the text. */
const ROOM_PX = 600
const HEADER_PX = 44
/** Below the lowest thread: it can be longer than the text. */
const BELOW_PX = 12
/** As much of a passage names its thread to screen readers. */
const MAX_LABEL = 60

type Item = Thread | Draft
/** `box`: what scrolls the text. */
type Props = { threads: Threads; editor: RichEditor; box: RefObject<HTMLElement | null> }

/** In the order of the text; those that have no passage come last. */
function inOrder(items: readonly Item[], passages: ReadonlyMap<string, Passage>): readonly Item[] {
  const place = ({ id }: Item) => passages.get(id)?.from ?? Infinity
  return items.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
}

function labelOf(item: Item): string {
  if (!('first' in item)) return t`New comment on “${item.anchor.quote.slice(0, MAX_LABEL)}”`
  const author = item.first.author || t`Former member`
  const quote = item.first.anchor?.quote.slice(0, MAX_LABEL)
  if (isResolved(item)) return quote ? t`Resolved comment by ${author} on “${quote}”` : t`Resolved comment by ${author}`
  return quote ? t`Comment by ${author} on “${quote}”` : t`Comment by ${author}`
}

function useRoom(box: RefObject<HTMLElement | null>): boolean {
  const [hasRoom, setHasRoom] = useState(false)
  const isWide = useMedia(WIDE)
  useEffect(() => {
    const measure = () => setHasRoom((box.current?.clientWidth ?? 0) >= ROOM_PX)
    measure()
    const observer = new ResizeObserver(measure)
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [box])
  return isWide && hasRoom
}

export function CommentColumn({ threads, editor, box }: Props) {
  const column = useRef<HTMLElement>(null)
  const hasRoom = useRoom(box)
  const { active, drafts, activate, resolved } = threads
  const passages: ReadonlyMap<string, Passage> = editor.state ? passagesOf(editor.state) : new Map()
  const items = inOrder([...threads.threads, ...drafts], passages)
  const isColumn = hasRoom && items.length > 0
  const hasHeader = isColumn || resolved > 0
  const { tops, bottom } = usePlaces(editor, column, items.map(({ id }) => id), active, hasHeader ? HEADER_PX : 0)
  if (!items.length && !hasHeader) return null
  const leave = () => {
    const at = document.activeElement
    activate(null)
    if (!at || at === document.body || column.current?.contains(at)) editor.focus() // not from where the member has gone meanwhile
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape' || !column.current?.contains(event.target as HTMLElement)) return // not in a dialog of it
    event.preventDefault()
    leave()
  }
  const cancel = (id: string) => {
    threads.write(id, '')
    leave()
  }
  const Placed = isColumn ? InColumn : InMargin
  return (
    <section ref={column} data-comments aria-label={t`Comments`} className={isColumn ? 'relative w-68 shrink-0 border-s border-line bg-side' : 'relative w-9 shrink-0 pointer-coarse:w-12'} style={{ minHeight: bottom + BELOW_PX }} onKeyDown={onKeyDown}>
      {hasHeader && <CommentHeader isColumn={isColumn} open={threads.open} resolved={resolved} showsResolved={threads.showsResolved} onToggle={threads.toggleResolved} />}
      {items.map((item) => (
        <Placed key={item.id} label={labelOf(item)} id={item.id} top={tops[item.id] ?? 0} isActive={item.id === active} isDone={'first' in item && isResolved(item)} onActivate={activate}>
          {'first' in item ? (
            <ThreadCard thread={item} isActive={item.id === active} hasPassage={passages.has(item.id)} unsent={threads} onChange={threads.reload} onReply={(text) => threads.send(text, item)} onLeave={leave} />
          ) : (
            <>
              {!passages.has(item.id) && <Quote text={item.anchor.quote} />}
              <CommentField isOpen={item.id === active} label={t`Your comment`} action={t`Comment`} text={threads.texts[item.id] ?? ''} onWrite={(text) => threads.write(item.id, text)} onSend={(text) => threads.send(text, item).then(editor.focus)} onCancel={() => cancel(item.id)} />
            </>
          )}
        </Placed>
      ))}
    </section>
  )
}
