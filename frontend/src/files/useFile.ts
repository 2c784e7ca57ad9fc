import { useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../api/client'
import { showToast } from '../ui/toasts'
import type { FileItem, FileText } from '../api/generated'
import { getFile } from './fileCache'
import { filesApi } from './filesApi'

const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 30_000

/** Whether it makes sense to try again: the server was not reached, is busy, or failed. */
const isTemporary = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** The file on the server. Null: it was deleted. Undefined: it is loading. */
export function useFile(id: string | undefined): FileItem | null | undefined {
  const [item, setItem] = useState<FileItem | null>()
  useEffect(() => {
    if (!id) return setItem(null)
    let current = true
    let timer: ReturnType<typeof setTimeout>
    const ask = (waitMs: number) =>
      getFile(id).then(
        (file) => current && setItem(file),
        (error: unknown) => {
          if (!current) return
          if (isTemporary(error)) timer = setTimeout(() => ask(Math.min(2 * waitMs, MAX_WAIT_MS)), waitMs)
          else setItem(null)
        },
      )
    ask(FIRST_WAIT_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [id])
  return item
}

/** Downloads a file with a fresh address, because the known one may have expired. */
export function downloadFile(id: string): void {
  getFile(id).then(
    (item) => location.assign(item.downloadUrl),
    (error: unknown) => showToast(errorMessage(error)),
  )
}

/** What was read of a file. Neither: it is being loaded. */
export function useFileText(id: string): { readonly content?: FileText; readonly error: string } {
  const [state, setState] = useState<{ content?: FileText; error: string }>({ error: '' })
  useEffect(() => {
    let isCurrent = true
    filesApi.text(id).then(
      (content) => isCurrent && setState({ content, error: '' }),
      (problem: unknown) => isCurrent && setState({ error: errorMessage(problem) }),
    )
    return () => {
      isCurrent = false
    }
  }, [id])
  return state
}
