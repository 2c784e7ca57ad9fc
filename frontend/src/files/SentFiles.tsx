import type { FileUIPart } from 'ai'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { FileItem } from '../api/generated'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'
import { FileIcon } from './FileIcon'
import { fileIdOf, isImage, fileNameOf, formatSize } from './fileParts'
import { ImageButton } from './ImageButton'
import { showPreview } from './preview'
import { downloadFile, useFile } from './useFile'

/** The files of a sent message: images as thumbnails, all others by their names. */
export function SentFiles({ files }: { files: readonly FileUIPart[] }) {
  const { t } = useLingui()
  if (files.length === 0) return null
  return (
    <ul aria-label={t`Files`} className="mb-2 flex flex-wrap items-end justify-end gap-2">
      {picturesFirst(files).map((part, index) => (
        <li key={index} className="max-w-full">
          <SentFile part={part} />
        </li>
      ))}
    </ul>
  )
}

const picturesFirst = (files: readonly FileUIPart[]): readonly FileUIPart[] => [...files.filter(isImage), ...files.filter((part) => !isImage(part))]

export function SentFile({ part }: { part: FileUIPart }) {
  const { t } = useLingui()
  const id = fileIdOf(part)
  const item = useFile(id)
  const name = fileNameOf(part)
  if (isImage(part) && item === undefined) return <div className="skeleton size-36" />
  if (isImage(part) && item && id) return <ImageButton item={item} />
  const shown = visibleText(name)
  return (
    <div className="flex w-60 max-w-full items-center rounded-xl border border-line bg-raise pe-1 transition-colors hover:border-line2">
      <button
        type="button"
        disabled={!item}
        aria-haspopup="dialog"
        onClick={(event) => id && showPreview({ id, name }, event.currentTarget)}
        className="flex min-w-0 flex-1 items-center gap-2.5 rounded-xl p-1.5 text-start disabled:opacity-60"
      >
        <FileIcon kind={item?.kind} />
        <span className="min-w-0 flex-1">
          <span className="sr-only"><Trans>Show</Trans> </span>
          <span className="block truncate text-[13px] font-medium"><PlainText text={name} prose /></span>
          <span className={`block text-[12px] ${item?.state === 'failed' ? 'text-bad' : 'text-fg3'}`}>
            {statusText(item)}
          </span>
        </span>
      </button>
      <button type="button" className="icon" disabled={!item} aria-label={t`Download ${shown}`} title={t`Download`} onClick={() => id && downloadFile(id)}>
        <Download className="size-4" aria-hidden />
      </button>
    </div>
  )
}

function statusText(item: FileItem | null | undefined): string {
  if (item === undefined) return t`Loading…`
  if (item === null) return t`File removed`
  const { reason } = item
  return item.state === 'failed' ? t`Couldn’t extract text: ${reason}` : formatSize(item.sizeBytes)
}
