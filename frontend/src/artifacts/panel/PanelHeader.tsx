import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Maximize2, Minimize2, X } from 'lucide-react'
import { copiedHtml } from '../../markdown/copiedHtml'
import { PlainText } from '../../plainText/PlainText'
import { visibleText } from '../../plainText/segments'
import { CopyButton } from '../../ui/CopyButton'
import type { DisplayedDocument, ViewId } from '../viewProps'
import { SaveStatus } from '../editing/SaveStatus'
import { kindOf, type View } from '../kinds'
import type { LiveSession } from '../live/liveSession'
import { Writers } from '../live/Writers'
import { returnToMessageBox } from '../../navigation/shortcuts'
import { closePanel } from '../store'
import { FileMenu } from './FileMenu'
import { TitleField } from './TitleField'

/** `onFull`: undefined where the panel fills the page anyway. */
type Props = { document: DisplayedDocument; live: LiveSession | undefined; view: ViewId; onView(view: ViewId): void; full: boolean; onFull: ((full: boolean) => void) | undefined }

/** Whoever has read it may write next. */
function leave(): void {
  closePanel()
  setTimeout(returnToMessageBox) // a sheet keeps the focus inside until it is gone
}

export function PanelHeader({ document, live, view, onView, full, onFull }: Props) {
  const { t } = useLingui()
  const [renaming, setRenaming] = useState(false)
  const { entry, displayedVersion, text } = document
  const { icon: Icon, views, editable } = kindOf(entry.kind)
  const ready = text !== null && !displayedVersion.live
  const wrapping = document.edit?.save === 'offline' ? '@max-[24rem]:flex-wrap @max-[24rem]:py-1.5 @max-[24rem]:[&>h2]:flex-[1_1_0]' : '' // its words need a line of their own
  return (
    <header className="@container shrink-0 border-b border-line px-3">
      <div className="flex min-h-12 items-center gap-x-2 @max-[36rem]:flex-wrap">
        <div className={`flex min-w-0 flex-1 items-center gap-x-2 ${wrapping}`}>
          <Icon className="size-4 shrink-0 text-fg3" aria-hidden />
          {renaming ? (
            <TitleField entry={entry} onClose={() => setRenaming(false)} />
          ) : (
            <h2 title={visibleText(entry.title)} className="min-w-0 truncate text-[14px] font-semibold">
              <PlainText text={entry.title} prose />
            </h2>
          )}
          <StatusText document={document} />
          {live && <Writers session={live} />}
        </div>
        {views.length > 1 && <ViewSwitch views={views} view={view} onView={onView} live={displayedVersion.live} />}
        <span className="flex shrink-0">
          {ready && editable && <CopyButton text={text} what="document" html={entry.kind === 'text' ? copiedHtml : undefined} />}
          {onFull && <FullScreenButton full={full} onFull={onFull} />}
          {ready && <FileMenu document={document} onRename={() => setRenaming(true)} />}
          <button type="button" className="icon" onClick={leave} aria-label={t`Close the document`} title={t`Close`}>
            <X className="size-4" aria-hidden />
          </button>
        </span>
      </div>
    </header>
  )
}

function FullScreenButton({ full, onFull }: { full: boolean; onFull(full: boolean): void }) {
  const { t } = useLingui()
  const label = full ? t`Leave full screen` : t`Full screen`
  const Icon = full ? Minimize2 : Maximize2
  return (
    <button type="button" className="icon" aria-label={label} title={label} onClick={() => onFull(!full)}>
      <Icon className="size-4" aria-hidden />
    </button>
  )
}

function StatusText({ document: { entry, displayedVersion, editing, edit } }: { document: DisplayedDocument }) {
  if (displayedVersion.live) return <span className="shimmer shrink-0 text-[12.5px]"><Trans>Writing…</Trans></span>
  if (entry.status === 'streaming') return <span className="truncate text-[12.5px] text-fg3"><Trans>A newer version is being written</Trans></span>
  if (editing && edit && edit.save !== 'saved') return <SaveStatus editing={editing} edit={edit} />
  if (entry.status === 'failed') return <span className="shrink-0 text-[12.5px] text-bad"><Trans>The last change failed</Trans></span>
  return editing && edit && <SaveStatus editing={editing} edit={edit} />
}

type SwitchProps = { views: readonly View[]; view: ViewId; onView(view: ViewId): void; live: boolean }

function ViewSwitch({ views, view, onView, live }: SwitchProps) {
  const { t } = useLingui()
  return (
    <div role="group" aria-label={t`View`} className="flex shrink-0 rounded-lg bg-hover p-0.5 @max-[36rem]:order-last @max-[36rem]:mb-2 @max-[36rem]:w-full">
      {views.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          aria-pressed={view === id}
          disabled={id === 'diff' && live}
          onClick={() => onView(id)}
          className="min-h-7 rounded-md px-2.5 text-[12.5px] font-medium text-fg2 transition-colors disabled:opacity-40 aria-pressed:bg-raise aria-pressed:text-fg aria-pressed:shadow-sm @max-[36rem]:flex-1 dark:aria-pressed:bg-line2 pointer-coarse:min-h-11"
        >
          {t(label)}
        </button>
      ))}
    </div>
  )
}
