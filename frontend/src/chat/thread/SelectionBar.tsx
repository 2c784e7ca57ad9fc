import { useEffect, useState, type RefObject } from 'react'
import { Trans } from '@lingui/react/macro'
import { Quote } from 'lucide-react'
import { focusMessageBox } from '../../navigation/shortcuts'
import type { Session } from '../session/session'

type Selected = { readonly text: string; readonly top: number; readonly left: number }

const GAP_PX = 8

/** The selected words of an answer, and where they are on screen. Null: nothing in an answer is selected. */
function selectedIn(box: HTMLElement | null): Selected | null {
  const selection = getSelection()
  if (!box || !selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  const holder = range.commonAncestorContainer instanceof Element ? range.commonAncestorContainer : range.commonAncestorContainer.parentElement
  const text = selection.toString().trim()
  if (!text || !box.contains(holder) || !holder?.closest('article .md')) return null
  const { top, left, width } = range.getBoundingClientRect()
  return { text, top: top - GAP_PX, left: left + width / 2 }
}

const asQuote = (text: string): string => text.replace(/^/gm, '> ').replace(/^> $/gm, '>')

/** A button above selected words of an answer, which quotes them in the message box. */
export function QuoteSelection({ box, session }: { box: RefObject<HTMLElement | null>; session: Session }) {
  const [selected, setSelected] = useState<Selected | null>(null)
  useEffect(() => {
    const look = () => setTimeout(() => setSelected(selectedIn(box.current))) // the selection ends after the event
    const hide = () => setSelected(null)
    const changed = () => getSelection()?.isCollapsed && hide()
    const element = box.current
    addEventListener('pointerup', look)
    addEventListener('keyup', look)
    document.addEventListener('selectionchange', changed)
    element?.addEventListener('scroll', hide)
    return () => {
      removeEventListener('pointerup', look)
      removeEventListener('keyup', look)
      document.removeEventListener('selectionchange', changed)
      element?.removeEventListener('scroll', hide)
    }
  }, [box])
  if (!selected) return null
  const quote = () => {
    session.state.patch({ quotedText: asQuote(selected.text) })
    getSelection()?.removeAllRanges()
    focusMessageBox()
  }
  return (
    <button
      type="button"
      onPointerDown={(event) => event.preventDefault()} // the selection stays
      onClick={quote}
      style={{ top: selected.top, left: selected.left }}
      className="fade fixed z-40 inline-flex h-8 -translate-x-1/2 -translate-y-full items-center gap-1.5 rounded-lg border border-line2 bg-raise px-2.5 text-[12.5px] font-medium shadow-pop hover:bg-hover"
    >
      <Quote className="size-3.5" aria-hidden />
      <Trans>Quote</Trans>
    </button>
  )
}
