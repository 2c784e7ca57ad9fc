// Images are not edited here: another picture takes the place of the one that is shown.
import { boot } from '../api/boot'
import { ApiError } from '../api/client'
import type { ArtifactDetail } from '../api/artifactTypes'
import { uploadFile } from '../files/filesApi'
import { formatSize } from '../files/fileParts'
import { artifactsApi } from './artifactsApi'
import { tryOrToast, createArtifact, recordSavedVersion } from './store'

/** What a file dialog offers; the server looks at what is in the file. */
export const IMAGE_ACCEPT = 'image/*'

/** The id of the file on the server. Rejects with an ApiError. */
async function upload(file: File): Promise<string> {
  const { maxBytes } = boot.files
  if (file.size > maxBytes) throw new ApiError(0, 'file_too_large', `This file is too large: the largest can have ${formatSize(maxBytes)}.`)
  return (await uploadFile(file, () => undefined, new AbortController().signal)).id
}

const titleOf = ({ name }: File): string => name.replace(/\.\w{1,5}$/, '').trim() || 'Image'

/** Make an image of a picture, and open it; `onCreated` hears of it first. Returns false when that failed, after telling the user. */
export const createImage = (conversationId: string, file: File, onCreated: (artifact: ArtifactDetail) => void): Promise<boolean> =>
  tryOrToast(async () => {
    await createArtifact(conversationId, { title: titleOf(file), kind: 'image', fileId: await upload(file) }, onCreated)
  })

/** Another picture as the version after `base`. Returns false when that failed, after telling the user. */
export const replaceImage = (id: string, base: number, file: File): Promise<boolean> =>
  tryOrToast(async () => recordSavedVersion(id, await artifactsApi.saveImage(id, { base, fileId: await upload(file) })))
