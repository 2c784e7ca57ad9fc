import { Code2, FileCode2, FileText, Image, Sheet, Workflow, type LucideIcon } from 'lucide-react'
import type { ViewId } from './displayedDocument'

export type View = {
  readonly id: ViewId
  readonly label: string
  /** Whether the view stays mounted, and so keeps its state, while another view is shown. */
  readonly staysMounted?: boolean
}
export type ExportFormat = { readonly format: string; readonly label: string }

/** One kind of artifact in the browser; the server's twin is in artifacts/kinds.py. The components of its views are in views/components.ts. */
export type Kind = {
  readonly label: string
  readonly icon: LucideIcon
  /** The first view is the default. */
  readonly views: readonly View[]
  /** File extension of the source. */
  readonly extension: string
  readonly mime: string
  readonly editable: boolean
  /** Formats that the server can export it to, besides its source. */
  readonly exports: readonly ExportFormat[]
}

const READ: View = { id: 'read', label: 'Read' }
const edit = (label: string): View => ({ id: 'edit', label })
const DIFF: View = { id: 'diff', label: 'Diff' }
const GRID: View = { id: 'grid', label: 'Grid' }
const CONSOLE: View = { id: 'console', label: 'Console', staysMounted: true }
const PREVIEW: View = { id: 'preview', label: 'Preview', staysMounted: true }
const IMAGE: View = { id: 'image', label: 'Image' }

const PDF: ExportFormat = { format: 'pdf', label: 'PDF' }
const WORD: ExportFormat = { format: 'docx', label: 'Word' }
const MARKDOWN: ExportFormat = { format: 'md', label: 'Markdown' }
const PNG: ExportFormat = { format: 'png', label: 'PNG' }

const TEXT: Kind = {
  ...{ label: 'Document', icon: FileText, views: [READ, edit('Edit'), DIFF], extension: 'md', mime: 'text/markdown', editable: true },
  exports: [PDF, WORD],
}
const KINDS: Readonly<Record<string, Kind>> = {
  text: TEXT,
  python: { label: 'Python', icon: Code2, views: [edit('Code'), CONSOLE, DIFF], extension: 'py', mime: 'text/x-python', editable: true, exports: [PDF, WORD, MARKDOWN] },
  mermaid: { label: 'Diagram', icon: Workflow, views: [PREVIEW, edit('Code'), DIFF], extension: 'mmd', mime: 'text/plain', editable: true, exports: [MARKDOWN] },
  code: { label: 'Code', icon: FileCode2, views: [edit('Code'), DIFF], extension: 'txt', mime: 'text/plain', editable: true, exports: [PDF, WORD, MARKDOWN] },
  sheet: { label: 'Sheet', icon: Sheet, views: [GRID, edit('CSV'), DIFF], extension: 'csv', mime: 'text/csv', editable: true, exports: [PDF, WORD, MARKDOWN] },
  image: { label: 'Image', icon: Image, views: [IMAGE], extension: 'png', mime: 'image/png', editable: false, exports: [PNG] },
}

/** A kind from a newer server is shown as a document. */
export const kindOf = (name: string): Kind => KINDS[name] ?? TEXT
