// A file as a part of a message: docs/protocol.md, "Files". Pure.
import type { FileUIPart } from 'ai'
import type { FileItem } from './filesApi'

const SCHEME = 'parley-file:'

export const toFilePart = (item: FileItem): FileUIPart => ({ type: 'file', mediaType: item.mediaType, filename: item.name, url: SCHEME + item.id })

/** The file's id; undefined for a part that is no file of ours. */
export const fileIdOf = (part: FileUIPart): string | undefined => (part.url.startsWith(SCHEME) ? part.url.slice(SCHEME.length) : undefined)

/** Its name: the SDK keeps that of a file which a model made in the part's metadata. */
export function fileNameOf(part: FileUIPart): string {
  const given = part.filename ?? part.providerMetadata?.parley?.filename
  return typeof given === 'string' && given ? given : 'File'
}

export const isImage = (part: FileUIPart): boolean => part.mediaType.startsWith('image/')

type MessageWithParts = { readonly parts: readonly { readonly type: string }[] }

/** The files of a message. */
export const filesOf = (message: MessageWithParts): readonly FileUIPart[] => message.parts.filter((part): part is FileUIPart => part.type === 'file')

export const fileIdsOf = (message: MessageWithParts): readonly string[] => filesOf(message).flatMap((part) => fileIdOf(part) ?? [])

/** `840 B`, `12 KB`, `4.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
