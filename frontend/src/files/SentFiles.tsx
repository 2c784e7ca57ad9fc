import { useEffect, useState } from 'react'
import type { FileUIPart } from 'ai'
import { Download } from 'lucide-react'
import { sentence } from '../app/api'
import { showToast } from '../ui/toasts'
import { FileIcon } from './FileIcon'
import type { FileItem } from './filesApi'
import { ImageDialog } from './ImageDialog'
import { fileOf } from './known'
import { fileIdOf, readableSize } from './parts'

/** The files of a sent message: pictures as pictures, everything else as something to download. */
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

const isPicture = (part: FileUIPart): boolean => part.mediaType.startsWith('image/')
const picturesFirst = (files: readonly FileUIPart[]): readonly FileUIPart[] => [...files.filter(isPicture), ...files.filter((part) => !isPicture(part))]

/** The file on the server; null: it is gone, undefined: not here yet. */
function useFile(id: string | undefined): FileItem | null | undefined {
  const [item, setItem] = useState<FileItem | null>()
  useEffect(() => {
    if (!id) return setItem(null)
    let current = true
    const put = (found: FileItem | null) => {
      if (current) setItem(found)
    }
    fileOf(id).then(put, () => put(null))
    return () => {
      current = false
    }
  }, [id])
  return item
}

/** Ask for a fresh address: the one that is known may be over. */
function download(id: string): void {
  fileOf(id).then(
    (item) => location.assign(item.url),
    (error: unknown) => showToast(sentence(error)),
  )
}

function SentFile({ part }: { part: FileUIPart }) {
  const id = fileIdOf(part)
  const item = useFile(id)
  const name = part.filename ?? 'File'
  if (isPicture(part) && item === undefined) return <div className="skeleton size-36" />
  if (isPicture(part) && item && id) return <ImageDialog item={item} onDownload={() => download(id)} />
  return (
    <button
      type="button"
      disabled={!item}
      onClick={() => id && download(id)}
      className="flex w-60 max-w-full items-center gap-2.5 rounded-xl border border-line bg-raise p-1.5 pr-3 text-left transition-colors hover:border-line2 disabled:opacity-60"
    >
      <FileIcon kind={item?.kind} />
      <span className="min-w-0 flex-1">
        <span className="sr-only">Download </span>
        <span className="block truncate text-[13px] font-medium">{name}</span>
        <span className={`block text-[12px] ${item?.state === 'failed' ? 'text-bad' : 'text-fg3'}`}>
          {detail(item)}
        </span>
      </span>
      <Download className="size-4 shrink-0 text-fg3" aria-hidden />
    </button>
  )
}

function detail(item: FileItem | null | undefined): string {
  if (item === undefined) return 'Loading…'
  if (item === null) return 'No longer here'
  return item.state === 'failed' ? `Text not read: ${item.reason}` : readableSize(item.sizeBytes)
}
