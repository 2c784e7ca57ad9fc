// The versions of an artifact: stepping through them, their list, and restoring one.
import { useRef, useState } from 'react'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight, History, LoaderCircle, type LucideIcon } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { DisplayedDocument } from '../viewProps'
import type { ArtifactEntry } from '../entries'
import { chooseVersion, restoreVersion } from '../store'
import { versionSummary } from './labels'
import { Timeline } from './Timeline'

export function VersionFooter({ document: { entry, displayedVersion, text } }: { document: DisplayedDocument }) {
  const { t } = useLingui()
  const { versions } = entry
  const list = useRef<HTMLButtonElement>(null)
  const index = displayedVersion.live ? versions.length : versions.findIndex((version) => version.number === displayedVersion.number)
  if (versions.length === 0 || index < 0) return <BeforeFirst live={displayedVersion.live} />
  const version = versions[index]
  const go = (to: number) => chooseVersion(to >= versions.length - 1 ? null : (versions[to]?.number ?? null))
  return (
    <footer className="flex min-h-11 shrink-0 items-center gap-1 border-t border-line px-2 text-[12.5px] text-fg2 max-sm:flex-wrap">
      <Timeline trigger={list} versions={versions} currentNumber={version?.number ?? null} onChoose={(number) => go(versions.findIndex((one) => one.number === number))} />
      <Step icon={ChevronLeft} label={t`Previous version`} isPossible={index > 0} onClick={() => go(index - 1)} />
      <span className="shrink-0 font-medium tabular-nums" aria-live="polite">
        {version ? <Place number={index + 1} count={versions.length} /> : <WritingVersion number={versions.length + 1} />}
      </span>
      <Step icon={ChevronRight} label={t`Next version`} isPossible={index < versions.length - 1} onClick={() => go(index + 1)} />
      {version && <span className="truncate text-fg3 max-sm:order-last max-sm:basis-full max-sm:pb-2 max-sm:ps-2">{versionSummary(version)}</span>}
      {version && index < versions.length - 1 && canWrite && <RestoreButton entry={entry} number={version.number} focusAfter={() => list.current?.focus()} />}
      {version && index === versions.length - 1 && entry.kind === 'text' && text && <WordCount text={text} />}
    </footer>
  )
}

function WordCount({ text }: { text: string }) {
  const count = text.match(/[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0
  return (
    <span className="ms-auto shrink-0 pe-2 ps-3 tabular-nums text-fg3">
      <Plural value={count} one="# word" other="# words" />
    </span>
  )
}

type StepProps = { icon: LucideIcon; label: string; isPossible: boolean; onClick(): void }

/** Keeps the focus at the first and the last version, where `disabled` would lose it. */
function Step({ icon: Icon, label, isPossible, onClick }: StepProps) {
  return (
    <button type="button" className="icon aria-disabled:opacity-40" aria-disabled={!isPossible} onClick={() => isPossible && onClick()} aria-label={label} title={label}>
      <Icon className="size-4" aria-hidden />
    </button>
  )
}

const Place = ({ number, count }: { number: number; count: number }) => (
  <Trans>
    Version {number} of {count}
  </Trans>
)

const WritingVersion = ({ number }: { number: number }) => <Trans>Writing version {number}…</Trans>

function BeforeFirst({ live }: { live: boolean }) {
  return (
    <footer className="flex h-11 shrink-0 items-center gap-2 border-t border-line px-3 text-[12.5px] text-fg3">
      <History className="size-3.5" aria-hidden />
      {live ? <WritingVersion number={1} /> : <Trans>Nothing was saved</Trans>}
    </footer>
  )
}

/** Disabled while the agent writes, because its version would immediately replace the restored one. */
function RestoreButton({ entry, number, focusAfter }: { entry: ArtifactEntry; number: number; focusAfter(): void }) {
  const [busy, setBusy] = useState(false)
  const restore = async () => {
    setBusy(true)
    await restoreVersion(entry.id, number)
    setBusy(false)
    focusAfter() // the button is gone, or may not be pressed again
  }
  return (
    <button type="button" className="btn ms-auto shrink-0 aria-disabled:opacity-40" aria-disabled={busy} disabled={entry.status === 'streaming'} onClick={() => !busy && void restore()}>
      {busy && <LoaderCircle className="size-3.5 animate-spin motion-reduce:animate-none" aria-hidden />}
      {busy ? <Trans>Restoring…</Trans> : <Trans>Restore this version</Trans>}
    </button>
  )
}
