import { useEffect, useState, type RefObject } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { shortcutLabel } from '../../navigation/shortcuts'
import { readSelection, type RenderedSelection } from './renderedSelection'

type ButtonPlace = { readonly marked: RenderedSelection; readonly top: number; readonly left: number }

const ABOVE_PX = 38
const WIDTH_PX = 116

/** The selection in the document that `box` shows, and the position of the button beside it. Null: nothing is selected. */
function buttonPlaceIn(box: HTMLElement): ButtonPlace | null {
  const root = box.querySelector('.md')
  const selection = document.getSelection()
  const marked = root && readSelection(root, selection)
  if (!marked || !selection) return null
  const [place, frame] = [selection.getRangeAt(0).getBoundingClientRect(), box.getBoundingClientRect()]
  const top = Math.min(Math.max(place.top - frame.top - ABOVE_PX, 4), frame.height - ABOVE_PX)
  return { marked, top, left: Math.min(Math.max(place.left - frame.left, 4), Math.max(4, frame.width - WIDTH_PX)) }
}

/** A small button at the selection in the rendered document, and its keyboard shortcut. */
export function SelectionButton({ box, onChoose }: { box: RefObject<HTMLElement | null>; onChoose(marked: RenderedSelection): void }) {
  const { t } = useLingui()
  const [place, setPlace] = useState<ButtonPlace | null>(null)
  useEffect(() => {
    const look = () => setPlace(box.current && buttonPlaceIn(box.current))
    const scrolls = box.current
    document.addEventListener('selectionchange', look)
    scrolls?.addEventListener('scroll', look, { passive: true })
    return () => {
      document.removeEventListener('selectionchange', look)
      scrolls?.removeEventListener('scroll', look)
    }
  }, [box])
  useEffect(() => {
    if (!place) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 'i') return
      event.preventDefault()
      onChoose(place.marked)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [place, onChoose])
  if (!place) return null
  const shortcut = shortcutLabel('I')
  return (
    <button
      type="button"
      className="btn absolute z-10 shadow-pop select-none pointer-coarse:-mt-2.5"
      style={{ top: place.top, left: place.left }}
      title={t`Edit just this (${shortcut})`}
      onMouseDown={(event) => event.preventDefault() /* keeps the selection */}
      onClick={() => onChoose(place.marked)}
    >
      <Trans>Edit just this</Trans>
    </button>
  )
}
