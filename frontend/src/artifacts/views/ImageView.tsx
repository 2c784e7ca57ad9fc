import { useRef, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { ViewProps } from '../viewProps'
import { IMAGE_ACCEPT, replaceImage } from '../images'
import { loadVersion } from '../store'
import { VersionPlaceholder, ViewPlaceholder } from './ViewPlaceholder'

/** A version of an image. Its address expires after minutes; then a new one is fetched, once. */
export default function ImageView({ document: { entry, displayedVersion, retry } }: ViewProps) {
  const { t } = useLingui()
  const [brokenUrl, setBrokenUrl] = useState('')
  const tried = useRef<number | null>(null)
  const number = displayedVersion.number
  const { title } = entry
  if (number === null) return <ViewPlaceholder text={t`The image isn’t ready yet.`} />
  const url = entry.fileUrls[number]
  if (!url) return <VersionPlaceholder onRetry={retry} />
  if (brokenUrl === url) return <ViewPlaceholder text={t`The image cannot be shown. Its file may have been deleted.`} />
  const onError = () => {
    if (tried.current === number) return setBrokenUrl(url)
    tried.current = number
    void loadVersion(entry.id, number)
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {canWrite && entry.isOwn && number === entry.latest && <Replace id={entry.id} base={number} />}
      <div tabIndex={0} role="region" aria-label={t`Image`} className="flex min-h-0 flex-1 items-center justify-center overflow-auto bg-side p-6 outline-offset-[-2px]">
        <img src={url} alt={t`${title}, version ${number}`} onError={onError} className="max-h-full max-w-full rounded-lg object-contain shadow-pop" />
      </div>
    </div>
  )
}

function Replace({ id, base }: { id: string; base: number }) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const replace = async (file: File | undefined) => {
    if (!file) return
    setBusy(true)
    await replaceImage(id, base, file)
    setBusy(false)
  }
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-2 border-b border-line px-2">
      <button type="button" className="ghost" disabled={busy} onClick={() => input.current?.click()}>
        <Upload className="size-3.5" aria-hidden />
        {busy ? <Trans>Uploading…</Trans> : <Trans>Replace</Trans>}
      </button>
      <span className="text-[12.5px] text-fg3"><Trans>Earlier images are kept as versions.</Trans></span>
      <input
        ref={input}
        type="file"
        accept={IMAGE_ACCEPT}
        hidden
        aria-label={t`Replace image`}
        onChange={(event) => {
          void replace(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </div>
  )
}
