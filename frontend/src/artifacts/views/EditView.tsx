import { useMemo, useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { ViewProps } from '../viewProps'
import { CodeEditor, type EditorHandle } from '../editor/CodeEditor'
import { languageNameOf } from '../editor/languages'
import type { TextSelection } from '../editor/selectionButton'
import { kindOf } from '../kinds'
import { EditThis } from '../patch/EditThis'
import { PatchReview, type Proposal } from '../patch/PatchReview'
import { anchorSuggestions } from '../suggestions/anchors'
import { decideSuggestions } from '../suggestions/decideSuggestions'
import { SuggestionList } from '../suggestions/SuggestionList'
import { ReadOnlyReason } from './ReadOnlyReason'

const NONE = [] as const

/** The source. It is read-only for old versions and while an agent writes. */
export default function EditView({ document, errorLine }: ViewProps) {
  const { t } = useLingui()
  const editor = useRef<EditorHandle>(null)
  const [selected, setSelected] = useState<TextSelection | null>(null)
  const [proposal, setProposal] = useState<Proposal | null>(null)
  const { entry, displayedVersion, editing } = document
  const { title } = entry
  const text = document.text ?? ''
  const places = useMemo(() => (editing ? anchorSuggestions(text, entry.suggestions) : NONE), [editing, text, entry.suggestions])
  const language = languageNameOf(kindOf(entry.kind), entry.title)
  const leave = () => {
    setSelected(null)
    setProposal(null)
    editor.current?.focus()
  }
  if (proposal && editing) return <PatchReview proposal={proposal} language={language} editing={editing} onClose={leave} />
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ReadOnlyReason document={document} />
      <div className="min-h-0 flex-1">
        <CodeEditor
          ref={editor}
          text={text}
          label={t`${title}, source`}
          language={language}
          locked={!editing || selected !== null}
          live={displayedVersion.live && entry.live !== ''}
          collaboration={(editing && document.edit?.live) ?? null}
          errorLine={errorLine}
          suggestions={places}
          onChange={(next) => editing?.change(next)}
          onDecide={(id, decision) => editing && void decideSuggestions(editing, [id], decision)}
          onEditThis={entry.isOwn ? setSelected : undefined}
        />
      </div>
      {selected && editing && <EditThis editing={editing} selected={selected} onProposal={setProposal} onClose={leave} />}
      {!selected && <SuggestionList document={document} onShow={(id) => editor.current?.goToSuggestion(id)} />}
    </div>
  )
}
