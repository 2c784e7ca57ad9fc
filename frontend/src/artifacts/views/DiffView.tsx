import { useEffect, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { VersionItem } from '../../api/generated'
import { Comparison } from '../diff/Comparison'
import type { ViewProps } from '../viewProps'
import { languageNameOf } from '../editor/languages'
import { versionBefore, type ArtifactEntry } from '../entries'
import { kindOf } from '../kinds'
import { chooseVersion, loadVersion } from '../store'
import { ViewPlaceholder } from './ViewPlaceholder'

function useText(entry: ArtifactEntry, number: number | null): string | undefined {
  const text = number === null ? undefined : entry.contents[number]
  useEffect(() => {
    if (number !== null && text === undefined) void loadVersion(entry.id, number)
  }, [entry.id, number, text])
  return text
}

/** Compares the displayed version with another one; by default, with the one before it. */
export default function DiffView({ document }: ViewProps) {
  const { t } = useLingui()
  const { entry, displayedVersion } = document
  const [chosen, setChosen] = useState<number | null>(null)
  const number = displayedVersion.number
  const against = chosen !== null && chosen !== number ? chosen : number === null ? null : versionBefore(entry, number)
  const before = useText(entry, against)
  const after = useText(entry, number)
  if (number === null) return <ViewPlaceholder text={t`The new version is not finished yet.`} />
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1 text-[12.5px] text-fg2">
        <Choice label={t({ message: 'From', context: 'version' })} value={against} versions={entry.versions} without={number} onChoose={setChosen} />
        <Choice label={t({ message: 'to', context: 'version' })} value={number} versions={entry.versions} without={null} onChoose={chooseVersion} />
      </div>
      <div className="min-h-0 flex-1">
        <Changes {...{ entry, number, against, before, after }} />
      </div>
    </div>
  )
}

type ChangesProps = { entry: ArtifactEntry; number: number; against: number | null; before: string | undefined; after: string | undefined }

function Changes({ entry, number, against, before, after }: ChangesProps) {
  const { t } = useLingui()
  if (against === null) return <ViewPlaceholder text={t`This is the first version: there is nothing to compare it with.`} />
  if (before === undefined || after === undefined) return <ViewPlaceholder text={t`Loading…`} />
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
      <select className="field-small tabular-nums" value={value ?? ''} onChange={(event) => onChoose(Number(event.target.value))}>
        {value === null && <option value="">{t`nothing`}</option>}
        {versions
          .filter((version) => version.number !== without)
          .toReversed()
          .map(({ number }) => (
            <option key={number} value={number}>
              {t`Version ${number}`}
            </option>
          ))}
      </select>
    </label>
  )
}
