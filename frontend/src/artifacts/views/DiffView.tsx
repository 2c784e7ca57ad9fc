import { useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { VersionItem } from '../../api/generated'
import { Comparison } from '../diff/Comparison'
import type { ViewProps } from '../viewProps'
import { languageNameOf } from '../editor/languages'
import { versionBefore, type ArtifactEntry } from '../entries'
import { kindOf } from '../kinds'
import { chooseVersion } from '../store'
import { versionSummary } from '../versions/labels'
import { useLoadedVersion } from '../versions/useLoadedVersion'
import { VersionPlaceholder, ViewPlaceholder } from './ViewPlaceholder'

type VersionText = { readonly text: string | undefined; readonly retry: (() => void) | null }

function useText(entry: ArtifactEntry, number: number | null): VersionText {
  const text = number === null ? undefined : entry.contents[number]
  return { text, retry: useLoadedVersion(entry.id, number, text === undefined) }
}

/** Compares the displayed version with another one; by default, with the one before it. */
export default function DiffView({ document }: ViewProps) {
  const { t } = useLingui()
  const { entry, displayedVersion } = document
  const [choice, setChoice] = useState<number | null>(null)
  const number = displayedVersion.number
  const against = choice !== null && choice !== number ? choice : number === null ? null : versionBefore(entry, number)
  const before = useText(entry, against)
  const after = useText(entry, number)
  if (number === null) return <ViewPlaceholder text={t`The new version is not finished yet.`} />
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1 text-[12.5px] text-fg2">
        <Choice label={t({ message: 'From', context: 'version' })} value={against} versions={entry.versions} without={number} onChoose={setChoice} />
        <Choice label={t({ message: 'to', context: 'version' })} value={number} versions={entry.versions} without={null} onChoose={chooseVersion} />
      </div>
      <div className="min-h-0 flex-1">
        <Changes {...{ entry, number, against, before, after }} />
      </div>
    </div>
  )
}

type ChangesProps = { entry: ArtifactEntry; number: number; against: number | null; before: VersionText; after: VersionText }

function Changes({ entry, number, against, before: { text: before, retry: retryBefore }, after: { text: after, retry: retryAfter } }: ChangesProps) {
  const { t } = useLingui()
  if (against === null) return <ViewPlaceholder text={t`This is the first version: there is nothing to compare it with.`} />
  if (before === undefined || after === undefined) return <VersionPlaceholder onRetry={retryBefore ?? retryAfter} />
  if (before === after) return <ViewPlaceholder text={t`Version ${number} has the same text as version ${against}.`} />
  return (
    <Comparison before={before} after={after} beforeLabel={t`version ${against}`} afterLabel={t`Version ${number}`} language={languageNameOf(kindOf(entry.kind), entry.title)} />
  )
}

type ChoiceProps = { label: string; value: number | null; versions: readonly VersionItem[]; without: number | null; onChoose(number: number): void }

function Choice({ label, value, versions, without, onChoose }: ChoiceProps) {
  const { t } = useLingui()
  return (
    <label className="flex items-center gap-1.5">
      {label}
      <select className="field-small max-w-36 truncate sm:max-w-52 tabular-nums" value={value ?? ''} onChange={(event) => onChoose(Number(event.target.value))}>
        {value === null && <option value="">{t`nothing`}</option>}
        {versions
          .filter((version) => version.number !== without)
          .toReversed()
          .map((version) => {
            const [number, summary] = [version.number, versionSummary(version)]
            return (
              <option key={number} value={number}>
                {t`Version ${number}: ${summary}`}
              </option>
            )
          })}
      </select>
    </label>
  )
}
