// Comments at the height of what they are about: a column beside the text, or on a narrow window marks in the margin that open them.
import { useEffect, useRef, useState, type RefObject } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { MessageSquare } from 'lucide-react'
import { useMedia } from '../../browser/useMedia'
import type { RichEditor } from '../rich/useRichEditor'
import type { Passage } from './anchors'
import { CommentField } from './CommentField'
import { passagesOf } from './marks'
import { ThreadCard } from './ThreadCard'
import type { Draft, Thread } from './threads'
import { usePlaces } from './usePlaces'
import type { Threads } from './useThreads'

const WIDE = '(min-width: 1200px)'
/** A narrower panel has no room for a column beside the text. */
const ROOM_PX = 600
const HEADER_PX = 44
/** From a mark in the margin to the thread below it. */
const MARK_PX = 32

type Item = Thread | Draft
/** `box`: what scrolls the text. */
type Props = { threads: Threads; editor: RichEditor; box: RefObject<HTMLElement | null> }

/** In the order of the text; those that have no passage come last. */
function inOrder(items: readonly Item[], passages: ReadonlyMap<string, Passage>): readonly Item[] {
  const place = ({ id }: Item) => passages.get(id)?.from ?? Infinity
  return items.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
}

function labelOf(item: Item): string {
  if (!('first' in item)) return t`New comment`
  const author = item.first.author || t`Former member`
  const quote = item.first.anchor?.quote.slice(0, 60)
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
  const isWide = useRoom(box)
  const { active, draft, activate, texts } = threads
  const passages: ReadonlyMap<string, Passage> = editor.state ? passagesOf(editor.state) : new Map()
  const items = inOrder(draft ? [...threads.threads, draft] : threads.threads, passages)
  const tops = usePlaces(editor, column, items.map(({ id }) => id), active, isWide ? HEADER_PX : 0)
  if (!items.length) return null
  const leave = () => {
    activate(null)
    editor.focus()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape' || !column.current?.contains(event.target as HTMLElement)) return // not in a dialog of it
    event.preventDefault()
    leave()
  }
  const Placed = isWide ? InColumn : InMargin
  const written = (id: string) => ({ text: texts[id] ?? '', onWrite: (text: string) => threads.write(id, text) })
  const count = threads.threads.length
  return (
    <section ref={column} data-comments aria-label={t`Comments`} className={isWide ? 'relative w-68 shrink-0 border-s border-line bg-side' : 'relative w-9 shrink-0 pointer-coarse:w-12'} onKeyDown={onKeyDown}>
      {isWide && (
        <header className="sticky top-0 z-20 flex h-11 items-center justify-between bg-side px-4 text-[13px]">
          <h3 className="font-semibold"><Trans>Comments</Trans></h3>
          <span className="text-fg2">{plural(count, { one: '# open', other: '# open' })}</span>
        </header>
      )}
      {items.map((item) => (
        <Placed key={item.id} label={labelOf(item)} id={item.id} top={tops[item.id] ?? 0} isActive={item.id === active} onActivate={activate}>
          {'first' in item ? (
            <ThreadCard thread={item} isActive={item.id === active} hasPassage={passages.has(item.id)} {...written(item.id)} onChange={threads.reload} onReply={(text) => threads.send(text, item)} onLeave={leave} />
          ) : (
            <CommentField isNew label={t`Your comment`} {...written(item.id)} onSend={(text) => threads.send(text).then(editor.focus)} />
          )}
        </Placed>
      ))}
    </section>
  )
}

type PlacedProps = { id: string; label: string; top: number; isActive: boolean; onActivate(id: string | null): void; children: React.ReactNode }

const CARD = 'absolute rounded-xl border bg-raise p-3'

function InColumn({ id, label, top, isActive, onActivate, children }: PlacedProps) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isActive && card.current?.contains(document.activeElement)) card.current.scrollIntoView({ block: 'nearest' }) // it has moved since it got the focus
  }, [isActive, top])
  const look = isActive ? 'z-10 border-line2 border-s-3 border-s-warn shadow-pop' : 'border-line'
  return (
    <article ref={card} data-thread={id} tabIndex={0} aria-label={label} aria-current={isActive} className={`${CARD} inset-x-2.5 transition-[top] duration-150 motion-reduce:transition-none ${look}`} style={{ top }} onFocus={() => onActivate(id)}>
      {children}
    </article>
  )
}

function InMargin({ id, label, top, isActive, onActivate, children }: PlacedProps) {
  return (
    <>
      <button type="button" data-thread={id} className="icon absolute end-1 size-7 text-warn pointer-coarse:size-11" aria-label={label} aria-expanded={isActive} title={label} style={{ top }} onClick={() => onActivate(isActive ? null : id)}>
        <MessageSquare className="size-4" aria-hidden />
      </button>
      {isActive && (
        <article aria-label={label} className={`${CARD} end-1 z-10 w-68 max-w-[85vw] border-line2 border-s-3 border-s-warn shadow-pop`} style={{ top: top + MARK_PX }}>
          {children}
        </article>
      )}
    </>
  )
}
