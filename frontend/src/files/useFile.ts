import { useEffect, useState } from 'react'
import { sentence } from '../app/api'
import { showToast } from '../ui/toasts'
import type { FileItem } from './filesApi'
import { fileOf } from './known'

/** The file on the server; null: it is gone, undefined: not here yet. */
export function useFile(id: string | undefined): FileItem | null | undefined {
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
export function download(id: string): void {
  fileOf(id).then(
    (item) => location.assign(item.url),
    (error: unknown) => showToast(sentence(error)),
  )
}
