// A thread at its height: a card in the column, or a mark in the margin that opens one.
import { useEffect, useRef } from 'react'
import { Check, MessageSquare } from 'lucide-react'

type Props = { id: string; label: string; top: number; isActive: boolean; isDone: boolean; onActivate(id: string | null): void; children: React.ReactNode }

/** From a mark in the margin to the thread below it. */
const MARK_PX = 32
const CARD = 'absolute rounded-xl border p-3'

export function InColumn({ id, label, top, isActive, isDone, onActivate, children }: Props) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isActive && card.current?.contains(document.activeElement)) card.current.scrollIntoView({ block: 'nearest' }) // it has moved since it got the focus
  }, [isActive, top])
  const look = isActive ? `z-10 border-line2 border-s-3 bg-raise shadow-pop ${isDone ? '' : 'border-s-warn'}` : `border-line ${isDone ? 'bg-side' : 'bg-raise'}`
  return (
    <article ref={card} data-thread={id} tabIndex={0} aria-label={label} aria-current={isActive} className={`${CARD} inset-x-2.5 transition-[top] duration-150 motion-reduce:transition-none ${look}`} style={{ top }} onFocus={() => onActivate(id)}>
      {children}
    </article>
  )
}

export function InMargin({ id, label, top, isActive, isDone, onActivate, children }: Props) {
  const Icon = isDone ? Check : MessageSquare
  return (
    <>
      <button type="button" data-thread={id} className={`icon absolute end-1 size-7 pointer-coarse:size-11 ${isDone ? '' : 'text-warn'}`} aria-label={label} aria-expanded={isActive} title={label} style={{ top }} onClick={() => onActivate(isActive ? null : id)}>
        <Icon className="size-4" aria-hidden />
      </button>
      {isActive && (
        <article tabIndex={-1} aria-label={label} className={`${CARD} end-1 z-10 w-68 max-w-[85vw] border-line2 border-s-3 bg-raise shadow-pop outline-none ${isDone ? '' : 'border-s-warn'}`} style={{ top: top + MARK_PX }}>
          {children}
        </article>
      )}
    </>
  )
}
