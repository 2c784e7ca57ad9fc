import { Suspense, useEffect, useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Markdown } from '../../markdown/Markdown'
import { lazyWithRetry } from '../../ui/lazyComponent'
import { showToast } from '../../ui/toasts'
import type { ViewProps } from '../viewProps'
import type { TextSelection } from '../editor/selectionButton'
import { EditThis } from '../patch/EditThis'
import type { Proposal } from '../patch/PatchReview'
import { sourceRangeOf, type RenderedSelection } from '../patch/renderedSelection'
import { SelectionButton } from '../patch/SelectionButton'
import { useSuggestionMarks } from '../suggestions/useSuggestionMarks'
import { SuggestionList } from '../suggestions/SuggestionList'
import { ViewPlaceholder } from './ViewPlaceholder'

const PatchReview = lazyWithRetry(async () => ({ default: (await import('../patch/PatchReview')).PatchReview }))

/** The rendered document. While it is being written, its end stays in view. An agent can change the selected text alone. */
export default function ReadView({ document }: ViewProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [selected, setSelected] = useState<TextSelection | null>(null)
  const [proposal, setProposal] = useState<Proposal | null>(null)
  const { displayedVersion, editing } = document
  const text = document.text ?? ''
  const showSuggestion = useSuggestionMarks(box, text, editing && !displayedVersion.live ? document.entry.suggestions : undefined)
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    atEnd.current = scrollHeight - scrollTop - clientHeight < 60
  }
  const writes = displayedVersion.live && document.entry.live !== ''
  useEffect(() => {
    if (writes && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text, writes])
  const choose = (marked: RenderedSelection) => {
    const source = sourceRangeOf(text, marked)
    if (source) setSelected({ ...source, of: text })
    else showToast(t`This part can only be selected under Markdown.`)
  }
  const leave = () => {
    setSelected(null)
    setProposal(null)
    box.current?.focus()
  }
  if (proposal && editing) {
    return (
      <Suspense fallback={<ViewPlaceholder text={t`Opening…`} />}>
        <PatchReview proposal={proposal} language="markdown" editing={editing} onClose={leave} />
      </Suspense>
    )
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="relative min-h-0 flex-1">
        <div ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label={t`Document`} className="h-full overflow-y-auto outline-offset-[-2px]">
          <div className="mx-auto max-w-[44rem] px-8 py-7 max-sm:px-5">
            <Markdown text={text} streaming={writes} />
          </div>
        </div>
        {editing && document.entry.isOwn && !selected && <SelectionButton box={box} onChoose={choose} />}
      </div>
      {selected && editing ? <EditThis editing={editing} selected={selected} onProposal={setProposal} onClose={leave} /> : <SuggestionList document={document} onShow={showSuggestion} />}
    </div>
  )
}
