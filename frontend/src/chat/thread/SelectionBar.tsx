import { useEffect, useState, type RefObject } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Quote } from 'lucide-react'
import { canWrite } from '../../api/boot'
import { focusMessageBox } from '../../navigation/shortcuts'
import { CopyButton } from '../../ui/CopyButton'
import type { Session } from '../session/session'
import { ReadAloudButton } from '../message/ReadAloudButton'

type SelectedText = { readonly text: string; readonly messageId: string; readonly top: number; readonly left: number }

const GAP_PX = 8
/** Half of the bar, so that it stays on a narrow screen. */
const HALF_PX = 144

/** The selected words of an answer, and where they are on screen. Null: nothing in an answer is selected. */
function selectedIn(box: HTMLElement | null): SelectedText | null {
  const selection = getSelection()
  if (!box || !selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  const holder = range.commonAncestorContainer instanceof Element ? range.commonAncestorContainer : range.commonAncestorContainer.parentElement
  const text = selection.toString().trim()
  if (!text || !box.contains(holder) || !holder?.closest('article .md')) return null
  const { top, left, width } = range.getBoundingClientRect()
  return { text, messageId: holder.closest('article')?.dataset.message ?? '', top: top - GAP_PX, left: Math.max(HALF_PX, Math.min(left + width / 2, innerWidth - HALF_PX)) }
}

const asQuote = (text: string): string => text.replace(/^/gm, '> ').replace(/^> $/gm, '>')

/** What can be done with selected words of an answer, above them: quote them in the message box, copy them, hear them. */
export function SelectionBar({ box, session }: { box: RefObject<HTMLElement | null>; session: Session }) {
  const { t } = useLingui()
  const [selected, setSelected] = useState<SelectedText | null>(null)
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
  const { text, messageId, top, left } = selected
  const quote = () => {
    session.state.patch({ quotedText: asQuote(text) })
    getSelection()?.removeAllRanges()
    focusMessageBox()
  }
  return (
    <div
      role="toolbar"
      aria-label={t`Selected text`}
      onPointerDown={(event) => event.preventDefault()} // the selection stays
      style={{ top, left }}
      className="fade fixed z-40 flex w-max whitespace-nowrap -translate-x-1/2 -translate-y-full gap-0.5 rounded-xl border border-line bg-raise p-1 shadow-pop"
    >
      {canWrite && (
        <button type="button" className="ghost" onClick={quote}>
          <Quote className="size-3.5" aria-hidden />
          <Trans>Quote</Trans>
        </button>
      )}
      <CopyButton text={text} what="selection" word />
      <ReadAloudButton messageId={messageId} text={text} />
    </div>
  )
}
