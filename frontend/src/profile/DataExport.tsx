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
  const [dataExport, setDataExport] = useState<Export>()
  const [error, setError] = useState('')
  const show = (work: Promise<Export>) => {
    work.then(
      (next) => {
        setDataExport(next)
        setError('')
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  useEffect(() => show(profileApi.dataExport()), [])
  useEffect(() => {
    if (dataExport?.state !== 'waiting') return
    const timer = setTimeout(() => show(profileApi.dataExport()), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [dataExport])
  return (
    <section aria-label={t`Your data`} className="border-b border-line text-[13.5px]">
      <SettingRow title={t`Your data`} says={t`Your profile, conversations, documents and files in ${boot.organization.name}, as a ZIP file.`} isOpenBelow>
        {dataExport && <State dataExport={dataExport} onBegin={() => show(profileApi.beginDataExport())} />}
      </SettingRow>
      {error && <ErrorLine text={error} />}
    </section>
  )
}

function State({ dataExport, onBegin }: { dataExport: Export; onBegin(): void }) {
  if (dataExport.state === 'waiting')
    return (
      <div className="w-full">
        <progress className="w-full" aria-label={t`Progress of the export`} max={Math.max(dataExport.total, 1)} value={dataExport.done} />
        <p className="mt-1 text-fg2" role="status">
          {dataExport.total > 0 ? t`${dataExport.done} of ${dataExport.total} items` : t`Starting…`} <Trans>You can close this. The export continues.</Trans>
        </p>
      </div>
    )
  return (
    <>
      {dataExport.state === 'failed' && <ErrorLine text={t`The file could not be made. Try again.`} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {dataExport.state === 'ready' && (
          <a className="btn" href={`${boot.api}/profile/export/file/`} download>
            <Trans>Download ({formatSize(dataExport.sizeBytes)})</Trans>
          </a>
        )}
        <button type="button" className={dataExport.state === 'ready' ? 'ghost' : 'btn'} onClick={onBegin}>
          {dataExport.state === 'ready' ? t`Create a new one` : t`Export my data`}
        </button>
        {dataExport.state === 'ready' && dataExport.until && <p className="text-fg2"><Trans>Kept until {fullDate(dataExport.until, 'long')}.</Trans></p>}
      </div>
    </>
  )
}
