import type { FileUIPart } from 'ai'
import { Download } from 'lucide-react'
import type { FileItem } from '../api/generated'
import { PlainText } from '../plainText/PlainText'
import { FileIcon } from './FileIcon'
import { fileIdOf, isImage, fileNameOf, formatSize } from './fileParts'
import { ImageDialog } from './ImageDialog'
import { downloadFile, useFile } from './useFile'

/** The files of a sent message: images as thumbnails, all others as downloads. */
export function SentFiles({ files }: { files: readonly FileUIPart[] }) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Files" className="mb-2 flex flex-wrap items-end justify-end gap-2">
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
  const id = fileIdOf(part)
  const item = useFile(id)
  const name = fileNameOf(part)
  if (isImage(part) && item === undefined) return <div className="skeleton size-36" />
  if (isImage(part) && item && id) return <ImageDialog item={item} onDownload={() => downloadFile(id)} />
  return (
    <button
      type="button"
      disabled={!item}
      onClick={() => id && downloadFile(id)}
      className="flex w-60 max-w-full items-center gap-2.5 rounded-xl border border-line bg-raise p-1.5 pr-3 text-left transition-colors hover:border-line2 disabled:opacity-60"
    >
      <FileIcon kind={item?.kind} />
      <span className="min-w-0 flex-1">
        <span className="sr-only">Download </span>
        <span className="block truncate text-[13px] font-medium"><PlainText text={name} prose /></span>
        <span className={`block text-[12px] ${item?.state === 'failed' ? 'text-bad' : 'text-fg3'}`}>
          {statusText(item)}
        </span>
      </span>
      <Download className="size-4 shrink-0 text-fg3" aria-hidden />
    </button>
  )
}

function statusText(item: FileItem | null | undefined): string {
  if (item === undefined) return 'Loading…'
  if (item === null) return 'No longer here'
  return item.state === 'failed' ? `Text not read: ${item.reason}` : formatSize(item.sizeBytes)
}
