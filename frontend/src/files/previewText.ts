// What is said of a file beside its preview. Pure.
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { FileItem } from '../api/generated'

/** The pages of an extracted text; the server puts a form feed before each but the first. */
export const pagesOf = (text: string): readonly string[] => text.split('\f').map((page) => page.replace(/^\n|\n+$/g, ''))

const OFFICE: Readonly<Record<string, MessageDescriptor>> = { docx: msg`Word document`, xlsx: msg`Excel sheet`, pptx: msg`PowerPoint slides` }
const OTHER = msg`Document`

export function typeLabel({ kind, name }: Pick<FileItem, 'kind' | 'name'>): string {
  const extension = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : ''
  if (kind === 'pdf') return t`PDF, as text`
  if (kind === 'image') return t`Picture`
  const office = i18n._(OFFICE[extension] ?? OTHER)
  if (kind === 'office') return t`${office}, as text`
  return extension ? extension.toUpperCase() : t`Text`
}
