// Images are not edited here. A new picture replaces the old one as a new version.
import { t } from '@lingui/core/macro'
import type { ArtifactDetail } from '../api/generated'
import { boot } from '../api/boot'
import { ApiError } from '../api/client'
import { formatSize } from '../files/fileParts'
import { uploadFile } from '../files/filesApi'
import { artifactsApi } from './artifactsApi'
import { tryOrToast, createArtifact, recordSavedVersion } from './store'

/** What a file dialog offers. The server checks the content of the file. */
export const IMAGE_ACCEPT = 'image/*'

/** Uploads the file and returns its id on the server. Rejects with an ApiError. */
async function upload(file: File): Promise<string> {
  const { maxBytes } = boot.files
  const limit = formatSize(maxBytes)
  if (file.size > maxBytes) throw new ApiError(0, 'file_too_large', t`This file is too large. The limit is ${limit}.`)
  return (await uploadFile(file, () => undefined, new AbortController().signal)).id
}

const titleOf = ({ name }: File): string => name.replace(/\.\w{1,5}$/, '').trim() || t`Image`

/** Creates an image artifact from a file, calls `onCreated`, and opens the panel. Returns false if that failed; the user has been told. */
export const createImage = (conversationId: string, file: File, onCreated: (artifact: ArtifactDetail) => void): Promise<boolean> =>
  tryOrToast(async () => {
    await createArtifact(conversationId, { title: titleOf(file), kind: 'image', fileId: await upload(file) }, onCreated)
  })

/** Saves another file as the version after `base`. Returns false if that failed; the user has been told. */
export const replaceImage = (id: string, base: number, file: File): Promise<boolean> =>
  tryOrToast(async () => recordSavedVersion(id, await artifactsApi.saveImage(id, { base, fileId: await upload(file) })))
