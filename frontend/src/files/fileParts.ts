// A file as a part of a message: docs/protocol.md, "Files". Pure.
import type { FileUIPart } from 'ai'
import { t } from '@lingui/core/macro'
import type { FileItem } from '../api/generated'
import { oneDecimal } from '../language/numbers'

const SCHEME = 'parley-file:'

export const toFilePart = (item: FileItem): FileUIPart => ({ type: 'file', mediaType: item.mediaType, filename: item.name, url: SCHEME + item.id })

/** The id of the file. Undefined for a part with a foreign address. */
export const fileIdOf = (part: FileUIPart): string | undefined => (part.url.startsWith(SCHEME) ? part.url.slice(SCHEME.length) : undefined)

/** The name of the file. The SDK puts the name of a generated file into the metadata. */
export function fileNameOf(part: FileUIPart): string {
  const name = part.filename ?? part.providerMetadata?.parley?.filename
  return typeof name === 'string' && name ? name : t`File`
}

export const isImage = (part: FileUIPart): boolean => part.mediaType.startsWith('image/')

type MessageWithParts = { readonly parts: readonly { readonly type: string }[] }

/** The files of a message. */
export const filesOf = (message: MessageWithParts): readonly FileUIPart[] => message.parts.filter((part): part is FileUIPart => part.type === 'file')

export const fileIdsOf = (message: MessageWithParts): readonly string[] => filesOf(message).flatMap((part) => fileIdOf(part) ?? [])

/** Formats a size as `840 B`, `12 KB` or `4.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${oneDecimal(bytes / 1024 / 1024)} MB`
}
