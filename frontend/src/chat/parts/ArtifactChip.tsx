import { useId, useState, type ReactNode } from 'react'
import { i18n } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ChevronRight, List } from 'lucide-react'
import type { ArtifactPart } from '../../api/artifactTypes'
import type { ArtifactEntry } from '../../artifacts/entries'
import { kindOf } from '../../artifacts/kinds'
import { openPanel, useArtifact, usePanel, type OpenPanel } from '../../artifacts/store'
import { PlainText } from '../../plainText/PlainText'

const DONE = { create: msg`Created`, update: msg`Updated`, fix: msg`Fixed`, revert: msg`Restored`, edit: msg`Edited`, patch: msg`Edited selection`, merge: msg`Merged`, suggestion: msg`Suggestions` } as const

function statusText(part: ArtifactPart, entry: ArtifactEntry | undefined): string {
  const { status, version } = part
  const length = entry?.live.length ?? 0
  if (status === 'streaming' && length === 0) return t`Writing…`
  if (status === 'streaming') return plural(length, { one: 'Writing… # character', other: 'Writing… # characters' })
  if (status === 'stopped' && version === null) return t`Stopped, nothing was saved`
  const done = status === 'failed' ? t`Failed` : status === 'stopped' ? t`Stopped` : i18n._(DONE[part.operation])
  return version === null ? done : t`${done} · version ${version}`
}

/** Whether the panel shows what this answer made: its version, or the newest one if that is the same. */
function isOpen(panel: OpenPanel | null, conversationId: string, part: ArtifactPart, entry: ArtifactEntry | undefined): boolean {
  if (panel?.conversationId !== conversationId || panel.artifactId !== part.id) return false
  return panel.version === null ? part.version === null || part.version === entry?.latest : panel.version === part.version
}

type Props = { part: ArtifactPart; conversationId: string; children?: ReactNode }

/** A document of the answer. It opens the panel at the version that this answer made, or at the text that it is writing. `children`: how it was made. */
export function ArtifactChip({ part, conversationId, children }: Props) {
  const { t } = useLingui()
  const [detailed, setDetailed] = useState(false)
  const details = useId()
  const entry = useArtifact(part.id)
  const panel = usePanel()
  const { icon: Icon } = kindOf(part.kind)
  const open = isOpen(panel, conversationId, part, entry)
  return (
    <div className="group/document relative rounded-xl border border-line bg-raise transition-colors hover:border-line2 has-[>button[aria-pressed=true]]:border-accent">
    <button
      type="button"
      onClick={() => openPanel(conversationId, part.id, part.version)}
      aria-pressed={open}
      className={`flex w-full items-center gap-3 rounded-xl p-3 text-start ${children ? 'pe-12' : ''}`}
    >
      <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-soft text-accent">
        <Icon className="size-5" aria-hidden />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[14px] font-semibold"><PlainText text={part.title} prose /></span>
        <span className={`block text-[12.5px] tabular-nums ${part.status === 'streaming' ? 'shimmer w-fit' : 'text-fg3'}`}>{statusText(part, entry)}</span>
      </span>
      {!children && <ChevronRight className="size-4 shrink-0 text-fg3" aria-hidden />}
    </button>
      {children && (
        <button type="button" className="icon absolute end-2 top-4 pointer-coarse:top-2.5" aria-expanded={detailed} aria-controls={details} aria-label={t`Details`} title={t`Details`} onClick={() => setDetailed(!detailed)}>
          <List className="size-4" aria-hidden />
        </button>
      )}
      {children && (
        <div id={details} hidden={!detailed} className="space-y-2 border-t border-line px-3.5 py-2.5">
          {detailed && children}
        </div>
      )}
    </div>
  )
}
