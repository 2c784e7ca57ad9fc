import { ApiError, apiError, call, OFFLINE, signInAgain } from '../api/client'
import { boot } from '../api/boot'

export type FileKind = 'image' | 'pdf' | 'office' | 'text'
/** docs/protocol.md, "Files". `url` is good for five minutes; `reason`: why its text could not be read. */
export type FileItem = {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly kind: FileKind
  readonly sizeBytes: number
  readonly state: 'pending' | 'ready' | 'failed'
  readonly reason: string
  readonly url: string
}

export const filesApi = {
  get: (id: string) => call<FileItem>('GET', `files/${id}/`),
  remove: (id: string) => call<null>('DELETE', `files/${id}/`),
}

/** Upload one file; `onProgress` gets the share from 0 to 1. Rejects with an ApiError. `signal` breaks it off. */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<FileItem> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest() // fetch tells nothing of what has gone out
    const body = new FormData()
    body.append('file', file)
    request.open('POST', `${boot.api}/files/`)
    request.setRequestHeader('X-CSRFToken', boot.csrfToken)
    request.setRequestHeader('accept', 'application/json')
    request.responseType = 'json'
    request.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0)
    request.onload = () => {
      if (request.status === 201) return resolve(request.response as FileItem)
      if (request.status === 401) signInAgain()
      reject(apiError(request.status, request.response))
    }
    request.onerror = () => reject(OFFLINE)
    request.onabort = () => reject(new ApiError(0, 'aborted', ''))
    signal.addEventListener('abort', () => request.abort())
    request.send(body)
  })
}
