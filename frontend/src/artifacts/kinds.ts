import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Code2, FileCode2, FileText, Image, Sheet, Workflow, type LucideIcon } from 'lucide-react'
import { ARTIFACT_KINDS } from '../api/generated'
import type { ViewId } from './viewProps'

export type View = {
  readonly id: ViewId
  readonly label: MessageDescriptor
  /** Whether the view stays mounted, and so keeps its state, while another view is shown. */
  readonly staysMounted?: boolean
}
type KindName = keyof typeof ARTIFACT_KINDS
type Looks = {
  readonly name: MessageDescriptor
  readonly icon: LucideIcon
  /** The first view is the default. Their components are in views/components.ts. */
  readonly views: readonly View[]
}
/** One kind of artifact: what the server says of it (artifacts/kinds.py), and how it looks here. */
export type Kind = (typeof ARTIFACT_KINDS)[KindName] & Looks

const READ: View = { id: 'read', label: msg`Read` }
const edit = (label: MessageDescriptor): View => ({ id: 'edit', label })
const WRITE: View = { id: 'write', label: msg`Write` }
const DIFF: View = { id: 'diff', label: msg`Diff` }
const GRID: View = { id: 'grid', label: msg`Grid` }
const CONSOLE: View = { id: 'console', label: msg`Console`, staysMounted: true }
const PREVIEW: View = { id: 'preview', label: msg`Preview`, staysMounted: true }
const IMAGE: View = { id: 'image', label: msg`Image` }

const LOOKS: Readonly<Record<KindName, Looks>> = {
  text: { name: msg`Document`, icon: FileText, views: [READ, WRITE, edit(msg`Markdown`), DIFF] },
  python: { name: msg`Program`, icon: Code2, views: [edit(msg`Code`), CONSOLE, DIFF] },
  mermaid: { name: msg`Diagram`, icon: Workflow, views: [PREVIEW, edit(msg`Code`), DIFF] },
  code: { name: msg`Code`, icon: FileCode2, views: [edit(msg`Code`), DIFF] },
  sheet: { name: msg`Sheet`, icon: Sheet, views: [GRID, edit(msg`CSV`), DIFF] },
  image: { name: msg`Image`, icon: Image, views: [IMAGE] },
}

/** A kind from a newer server is shown as a document. */
export function kindOf(name: string): Kind {
  const kind = (Object.hasOwn(LOOKS, name) ? name : 'text') as KindName
  return { ...ARTIFACT_KINDS[kind], ...LOOKS[kind] }
}
