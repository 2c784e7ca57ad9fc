// Find and replace in the rich editor.
import { useEffect, useRef, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { CaseSensitive, ChevronDown, ChevronUp, X } from 'lucide-react'
import { findNext, findPrev, getMatchHighlights, replaceAll, replaceNext, SearchQuery, setSearchState } from 'prosemirror-search'
import type { Command, EditorState } from 'prosemirror-state'
import type { RichEditor } from './useRichEditor'

type Props = { editor: RichEditor; state: EditorState; onClose(): void }

const look =
  (query: SearchQuery): Command =>
  (state, dispatch) => {
    dispatch?.(setSearchState(state.tr, query))
    return true
  }

const selectedText = ({ doc, selection: { from, to } }: EditorState): string => (to - from < 100 ? doc.textBetween(from, to) : '')

export function ReplaceBar({ editor, state, onClose }: Props) {
  const { t } = useLingui()
  const { dispatch, focus } = editor
  const field = useRef<HTMLInputElement>(null)
  const [find, setFind] = useState(() => selectedText(state))
  const [replace, setReplace] = useState('')
  const [caseSensitive, setCaseSensitive] = useState(false)
  useEffect(() => dispatch(look(new SearchQuery({ search: find, replace, caseSensitive, literal: true }))), [find, replace, caseSensitive])
  useEffect(() => () => dispatch(look(new SearchQuery({ search: '' }))), [])
  const places = getMatchHighlights(state).find()
  const place = places.findIndex(({ from, to }) => from === state.selection.from && to === state.selection.to) + 1
  const count = places.length
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const input = event.target instanceof HTMLInputElement ? event.target : null
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && input) dispatch(input.name === 'replace' ? replaceNext : event.shiftKey ? findPrev : findNext)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const close = () => {
    onClose()
    focus()
  }
  /** The button that was pressed may be disabled afterwards, and would lose the focus to nowhere. */
  const change = (command: Command) => {
    dispatch(command)
    field.current?.focus()
  }
  const current = place || '–'
  return (
    <div role="search" aria-label={t`Find and replace`} onKeyDown={onKeyDown} className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line bg-side px-3 py-2">
      <input ref={field} autoFocus name="find" value={find} onFocus={(event) => event.target.select()} onChange={(event) => setFind(event.target.value)} aria-label={t`Find`} placeholder={t`Find`} className="field min-w-32 flex-1" />
      <button type="button" className="icon aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={caseSensitive} onClick={() => setCaseSensitive(!caseSensitive)} aria-label={t`Match case`} title={t`Match case`}>
        <CaseSensitive className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon" disabled={count === 0} onClick={() => dispatch(findPrev)} aria-label={t`Previous`} title={t`Previous`}>
        <ChevronUp className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon" disabled={count === 0} onClick={() => dispatch(findNext)} aria-label={t`Next`} title={t`Next`}>
        <ChevronDown className="size-4" aria-hidden />
      </button>
      <span role="status" className="min-w-16 text-[12.5px] text-fg2 tabular-nums">
        {find && (count === 0 ? <Trans>Not found</Trans> : t`${current} of ${count}`)}
      </span>
      <button type="button" className="icon ms-auto" onClick={close} aria-label={t`Close the search`} title={t`Close`}>
        <X className="size-4" aria-hidden />
      </button>
      <span className="flex basis-full flex-wrap items-center gap-1.5">
        <input name="replace" value={replace} onChange={(event) => setReplace(event.target.value)} aria-label={t`Replace with`} placeholder={t`Replace with`} className="field min-w-32 flex-1" />
        <button type="button" className="btn" disabled={count === 0} onClick={() => change(replaceNext)}>
          <Trans>Replace</Trans>
        </button>
        <button type="button" className="btn" disabled={count === 0} onClick={() => change(replaceAll)}>
          <Trans>Replace all</Trans>
        </button>
      </span>
    </div>
  )
}
