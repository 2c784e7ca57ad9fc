import type { FileUIPart } from 'ai'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'
import { fileIdOf, isImage, fileNameOf, formatSize } from './fileParts'
import { ImageButton } from './ImageButton'
import { SentFile } from './SentFiles'
import { downloadFile, useFile } from './useFile'

/** A file that the model made, at its place in the answer. An image is shown with its name below it. */
export function GeneratedFile({ part }: { part: FileUIPart }) {
  return isImage(part) ? <Picture part={part} /> : <SentFile part={part} />
}

function Picture({ part }: { part: FileUIPart }) {
  const { t } = useLingui()
  const id = fileIdOf(part)
  const item = useFile(id)
  const name = fileNameOf(part)
  const shown = visibleText(name)
  if (item === undefined) return <div role="status" aria-label={t`Loading ${shown}`} className="skeleton h-64 w-full max-w-md" />
  if (item === null || !id) return <p className="text-[13px] text-fg3"><Trans><PlainText text={name} prose /> is no longer here.</Trans></p>
  return (
    <figure aria-label={shown} className="w-fit max-w-full">
      <ImageButton item={item} className="max-h-[26rem] max-w-full object-contain" />
      <figcaption className="mt-1.5 flex items-center gap-2 text-[12.5px] text-fg3">
        <span className="min-w-0 truncate"><PlainText text={name} prose /></span>
        <span className="shrink-0">{formatSize(item.sizeBytes)}</span>
        <button type="button" className="icon ms-auto" aria-label={t`Download ${shown}`} title={t`Download`} onClick={() => downloadFile(id)}>
          <Download className="size-4" aria-hidden />
        </button>
      </figcaption>
    </figure>
  )
}
