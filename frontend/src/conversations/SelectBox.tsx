import { useEffect, useRef } from 'react'
import type { ConversationItem } from '../api/generated'
import { toggleSelected } from './selection'
import { titleOf } from './title'

/** A conversation of a list while several are being chosen. The one with which that began gets the focus, because its menu is gone. */
export function SelectBox({ item, isSelected, className }: { item: ConversationItem; isSelected: boolean; className: string }) {
  const box = useRef<HTMLInputElement>(null)
  const began = useRef(isSelected)
  useEffect(() => {
    if (!began.current) return undefined
    const timer = setTimeout(() => document.activeElement === document.body && box.current?.focus())
    return () => clearTimeout(timer)
  }, [])
  return (
    <li>
      <label className={className}>
        <input ref={box} type="checkbox" checked={isSelected} onChange={() => toggleSelected(item.id)} className="size-4 shrink-0 accent-[var(--accent)]" />
        <span className="truncate">{titleOf(item)}</span>
      </label>
    </li>
  )
}
