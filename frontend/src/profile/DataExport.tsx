import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import type { DataExport as Export } from '../api/generated'
import { formatSize } from '../files/fileParts'
import { fullDate } from '../language/formats'
import { ErrorLine } from '../ui/FormDialog'
import { SettingRow } from '../ui/SettingRow'
import { profileApi } from './profileApi'

const LOOK_AGAIN_MS = 1000

/** A ZIP of what the member has in this organization, which the server makes in the background. */
export function DataExport() {
  const [found, setFound] = useState<Export>()
  const [error, setError] = useState('')
  const show = (work: Promise<Export>) => {
    work.then(
      (next) => {
        setFound(next)
        setError('')
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  useEffect(() => show(profileApi.dataExport()), [])
  useEffect(() => {
    if (found?.state !== 'waiting') return
    const timer = setTimeout(() => show(profileApi.dataExport()), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [found])
  return (
    <section aria-label={t`Your data`} className="border-b border-line text-[13.5px]">
      <SettingRow title={t`Your data`} says={t`Your profile, conversations, documents and files in ${boot.organization.name}, as a ZIP file.`} isOpenBelow>
        {found && <State found={found} onBegin={() => show(profileApi.beginDataExport())} />}
      </SettingRow>
      {error && <ErrorLine text={error} />}
    </section>
  )
}

function State({ found, onBegin }: { found: Export; onBegin(): void }) {
  if (found.state === 'waiting')
    return (
      <div className="w-full">
        <progress className="w-full" aria-label={t`Progress of the export`} max={Math.max(found.total, 1)} value={found.done} />
        <p className="mt-1 text-fg2" role="status">
          {found.total > 0 ? t`${found.done} of ${found.total} items` : t`Starting…`} <Trans>You can close this. The export continues.</Trans>
        </p>
      </div>
    )
  return (
    <>
      {found.state === 'failed' && <ErrorLine text={t`The file could not be made. Try again.`} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {found.state === 'ready' && (
          <a className="btn" href={`${boot.api}/profile/export/file/`} download>
            <Trans>Download ({formatSize(found.sizeBytes)})</Trans>
          </a>
        )}
        <button type="button" className={found.state === 'ready' ? 'ghost' : 'btn'} onClick={onBegin}>
          {found.state === 'ready' ? t`Create a new one` : t`Export my data`}
        </button>
        {found.state === 'ready' && found.until && <p className="text-fg2"><Trans>Kept until {fullDate(found.until, 'long')}.</Trans></p>}
      </div>
    </>
  )
}
