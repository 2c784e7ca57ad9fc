import { Code2, FileCode2, FileText, Image, Sheet, Workflow, type LucideIcon } from 'lucide-react'
import { ARTIFACT_KINDS } from '../api/generated'
import type { ViewId } from './displayedDocument'

export type View = {
  readonly id: ViewId
  readonly label: string
  /** Whether the view stays mounted, and so keeps its state, while another view is shown. */
  readonly staysMounted?: boolean
}
type KindName = keyof typeof ARTIFACT_KINDS
type Looks = {
  readonly icon: LucideIcon
  /** The first view is the default. Their components are in views/components.ts. */
  readonly views: readonly View[]
}
/** One kind of artifact: what the server says of it (artifacts/kinds.py), and how it looks here. */
export type Kind = (typeof ARTIFACT_KINDS)[KindName] & Looks

const READ: View = { id: 'read', label: 'Read' }
const edit = (label: string): View => ({ id: 'edit', label })
const DIFF: View = { id: 'diff', label: 'Diff' }
const GRID: View = { id: 'grid', label: 'Grid' }
const CONSOLE: View = { id: 'console', label: 'Console', staysMounted: true }
const PREVIEW: View = { id: 'preview', label: 'Preview', staysMounted: true }
const IMAGE: View = { id: 'image', label: 'Image' }

const LOOKS: Readonly<Record<KindName, Looks>> = {
  text: { icon: FileText, views: [READ, edit('Edit'), DIFF] },
  python: { icon: Code2, views: [edit('Code'), CONSOLE, DIFF] },
  mermaid: { icon: Workflow, views: [PREVIEW, edit('Code'), DIFF] },
  code: { icon: FileCode2, views: [edit('Code'), DIFF] },
  sheet: { icon: Sheet, views: [GRID, edit('CSV'), DIFF] },
  image: { icon: Image, views: [IMAGE] },
}

/** A kind from a newer server is shown as a document. */
export function kindOf(name: string): Kind {
  const known = (Object.hasOwn(LOOKS, name) ? name : 'text') as KindName
  return { ...ARTIFACT_KINDS[known], ...LOOKS[known] }
}
