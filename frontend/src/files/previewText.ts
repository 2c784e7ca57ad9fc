// What is said of a file beside its preview. Pure.
import type { FileItem } from '../api/generated'

/** The pages of an extracted text; the server puts a form feed before each but the first. */
export const pagesOf = (text: string): readonly string[] => text.split('\f').map((page) => page.replace(/^\n|\n+$/g, ''))

const OFFICE: Readonly<Record<string, string>> = { docx: 'Word document', xlsx: 'Excel sheet', pptx: 'PowerPoint slides' }

export function typeLabel({ kind, name }: Pick<FileItem, 'kind' | 'name'>): string {
  const extension = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : ''
  if (kind === 'pdf') return 'PDF, as text'
  if (kind === 'image') return 'Picture'
  if (kind === 'office') return `${OFFICE[extension] ?? 'Document'}, as text`
  return extension ? extension.toUpperCase() : 'Text'
}
