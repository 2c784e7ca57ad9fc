import { boot } from '../api/boot'
import { ApiError, apiErrorFrom, request, OFFLINE_ERROR, redirectToSignIn } from '../api/client'
import type { FileItem, FileText } from '../api/generated'

export const filesApi = {
  get: (id: string) => request<FileItem>('GET', `files/${id}/`),
  text: (id: string) => request<FileText>('GET', `files/${id}/text/`),
  remove: (id: string) => request<null>('DELETE', `files/${id}/`),
}

/** Uploads a file. `onProgress` gets the fraction from 0 to 1. `signal` aborts. Rejects with an ApiError. */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<FileItem> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest() // fetch has no upload progress
    const body = new FormData()
    body.append('file', file)
    xhr.open('POST', `${boot.api}/files/`)
    xhr.setRequestHeader('X-CSRFToken', boot.csrfToken)
    xhr.setRequestHeader('accept', 'application/json')
    xhr.responseType = 'json'
    xhr.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0)
    xhr.onload = () => {
      if (xhr.status === 201) return resolve(xhr.response as FileItem)
      if (xhr.status === 401) redirectToSignIn()
      reject(apiErrorFrom(xhr.status, xhr.response))
    }
    xhr.onerror = () => reject(OFFLINE_ERROR)
    xhr.onabort = () => reject(new ApiError(0, 'aborted', ''))
    signal.addEventListener('abort', () => xhr.abort())
    xhr.send(body)
  })
}
