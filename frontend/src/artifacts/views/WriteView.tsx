// The document as rich text that can be edited in place. Its Markdown changes only where the member changed something.
import '../../styles/rich.css'
import { useMemo, useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Markdown } from '../../markdown/Markdown'
import type { DisplayedDocument, ViewProps } from '../viewProps'
import { CommentColumn } from '../comments/CommentColumn'
import { useMarks, useThreads } from '../comments/useThreads'
import type { EditSession } from '../editing/editSession'
import { richCursors, useRichCursors } from '../live/richCursors'
import { richFreshText } from '../live/richFreshText'
import { linkAt, setLink } from '../rich/commands'
import { LinkField } from '../rich/LinkField'
import { ReplaceBar } from '../rich/ReplaceBar'
import { SlashMenu } from '../rich/SlashMenu'
import { Toolbar } from '../rich/Toolbar'
import { useRichEditor } from '../rich/useRichEditor'
import { SuggestionList } from '../suggestions/SuggestionList'
import { useSuggestionMarks } from '../suggestions/useSuggestionMarks'
import { ReadOnlyReason } from './ReadOnlyReason'

export default function WriteView({ document }: ViewProps) {
  return document.editing ? <EditableText document={document} editing={document.editing} /> : <ReadOnlyText document={document} />
}

function ReadOnlyText({ document }: { document: DisplayedDocument }) {
  const { t } = useLingui()
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ReadOnlyReason document={document} />
      <div tabIndex={0} role="region" aria-label={t`Document`} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        <div className="mx-auto max-w-[44rem] px-8 py-7 max-sm:px-5">
          <Markdown text={document.text ?? ''} streaming={document.displayedVersion.live} />
        </div>
      </div>
    </div>
  )
}

function EditableText({ document, editing }: { document: DisplayedDocument; editing: EditSession }) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const [bar, setBar] = useState<'link' | 'find' | null>(null)
  const { title, suggestions } = document.entry
  const threads = useThreads(document.entry)
  const isShared = useRef(false)
  isShared.current = document.edit?.live != null
  const others = useMemo(() => [richCursors(), richFreshText(() => isShared.current)], [])
  const text = document.text ?? ''
  const [onLink, onFind] = [() => setBar('link'), () => setBar('find')]
  const editor = useRichEditor({ text, label: t`${title}, text`, hint: t`Type / for headings, lists and tables`, plugins: [threads.plugin, ...others], onChange: (next) => editing.change(next), onLink, onFind })
  const showSuggestion = useSuggestionMarks(box, text, suggestions)
  useMarks(editor, threads)
  useRichCursors(editor, document.edit?.live ?? null)
  const { state } = editor
  const leaveLink = () => {
    setBar(null)
    editor.focus()
  }
  const saveLink = (href: string) => {
    setBar(null)
    editor.run(setLink(href))
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {state && <Toolbar editor={editor} state={state} onLink={onLink} onFind={onFind} onComment={threads.mayComment ? () => threads.begin(state) : undefined} />}
      {state && bar === 'link' && <LinkField href={(linkAt(state).link?.attrs['href'] as string | undefined) ?? ''} onSave={saveLink} onClose={leaveLink} />}
      {state && bar === 'find' && <ReplaceBar editor={editor} state={state} onClose={() => setBar(null)} />}
      <div ref={box} className="relative min-h-0 flex-1 overflow-y-auto">
        <div className="flex min-h-full">
          <div className="min-w-0 flex-1">
            <div ref={editor.host} className="mx-auto max-w-[44rem] px-8 max-sm:px-5" />
          </div>
          <CommentColumn threads={threads} editor={editor} box={box} />
        </div>
        {state && <SlashMenu editor={editor} state={state} box={box} />}
      </div>
      <SuggestionList document={document} onShow={showSuggestion} />
    </div>
  )
}
