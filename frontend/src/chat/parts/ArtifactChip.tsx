import { ChevronRight } from 'lucide-react'
import type { ArtifactPart } from '../../api/artifactTypes'
import type { ArtifactEntry } from '../../artifacts/entries'
import { kindOf } from '../../artifacts/kinds'
import { openPanel, useArtifact, usePanel, type OpenPanel } from '../../artifacts/store'
import { PlainText } from '../../plainText/PlainText'

const DONE = { create: 'Created', update: 'Updated', fix: 'Fixed', revert: 'Restored', edit: 'Edited', patch: 'Changed', merge: 'Merged', suggestion: 'Suggestions' } as const

function statusText(part: ArtifactPart, entry: ArtifactEntry | undefined): string {
  const version = part.version === null ? '' : ` · version ${part.version}`
  if (part.status === 'streaming') return `Writing… ${(entry?.live.length ?? 0).toLocaleString('en')} characters`
  if (part.status === 'failed') return `Failed${version}`
  if (part.status === 'stopped') return `Stopped${version || ', nothing was kept'}`
  return `${DONE[part.operation]}${version}`
}

/** Whether the panel shows what this answer made: its version, or the newest one if that is the same. */
function isOpen(panel: OpenPanel | null, conversationId: string, part: ArtifactPart, entry: ArtifactEntry | undefined): boolean {
  if (panel?.conversationId !== conversationId || panel.artifactId !== part.id) return false
  return panel.version === null ? part.version === null || part.version === entry?.latest : panel.version === part.version
}

/** Opens the panel at the version that this answer made, or at the text that it is writing. */
export function ArtifactChip({ part, conversationId }: { part: ArtifactPart; conversationId: string }) {
  const entry = useArtifact(part.id)
  const panel = usePanel()
  const { icon: Icon } = kindOf(part.kind)
  const open = isOpen(panel, conversationId, part, entry)
  return (
    <button
      type="button"
      onClick={() => openPanel(conversationId, part.id, part.version)}
      aria-pressed={open}
      className="flex w-full items-center gap-3 rounded-xl border border-line bg-raise p-3 text-left transition-colors hover:border-line2 aria-pressed:border-accent"
    >
      <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-soft text-accent">
        <Icon className="size-5" aria-hidden />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[14px] font-semibold"><PlainText text={part.title} prose /></span>
        <span className={`block text-[12.5px] tabular-nums ${part.status === 'streaming' ? 'shimmer w-fit' : 'text-fg3'}`}>{statusText(part, entry)}</span>
      </span>
      <ChevronRight className="size-4 shrink-0 text-fg3" aria-hidden />
    </button>
  )
}
