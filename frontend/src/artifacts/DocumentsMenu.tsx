import { FileText } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ArtifactDetail } from '../app/apiTypes'
import { canWrite } from '../app/boot'
import type { Session } from '../chat/session'
import { useStore } from '../ui/store'
import { kindOf } from './kinds'
import { lastViews } from './panel/lastViews'
import { createArtifact, openPanel } from './store'

/** What a member makes without an agent; a sheet begins with cells to write in. */
const NEW = [
  { kind: 'text', label: 'Document', content: '' },
  { kind: 'python', label: 'Program', content: '' },
  { kind: 'mermaid', label: 'Diagram', content: '' },
  { kind: 'code', label: 'Code', content: '' },
  { kind: 'sheet', label: 'Sheet', content: ',,\n'.repeat(5) },
] as const

/** The documents of a stored conversation, and new ones. */
export function DocumentsMenu({ session }: { session: Session }) {
  const { artifacts, load } = useStore(session.state)
  const canAdd = canWrite && load === 'ready'
  if (artifacts.length === 0 && !canAdd) return null
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="ghost shrink-0">
        <FileText className="size-3.5" aria-hidden />
        {artifacts.length > 0 && artifacts.length}
        <span className="max-sm:sr-only">{artifacts.length === 0 ? 'Documents' : artifacts.length === 1 ? 'document' : 'documents'}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise max-h-[80vh] max-w-80 min-w-44 overflow-y-auto" align="end" sideOffset={6}>
          {artifacts.map((artifact) => (
            <DropdownMenu.Item key={artifact.id} className="menu-item" onSelect={() => openPanel(session.id, artifact.id)}>
              <span className="truncate">{artifact.title}</span>
            </DropdownMenu.Item>
          ))}
          {artifacts.length > 0 && canAdd && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
          {canAdd && <NewItems session={session} />}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function NewItems({ session }: { session: Session }) {
  const known = ({ id, title, kind, latestVersion: version }: ArtifactDetail) => {
    if (kind !== 'sheet') lastViews.set(id, 'edit')
    session.artifactChanged({ id, title, kind, version, status: 'ready', operation: 'create', callId: '' })
  }
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="px-2.5 py-1 text-[12.5px] text-fg3">New</DropdownMenu.Label>
      {NEW.map(({ kind, label, content }) => {
        const { icon: Icon } = kindOf(kind)
        const wanted = { title: `New ${label.toLowerCase()}`, kind, content }
        return (
          <DropdownMenu.Item key={kind} className="menu-item" onSelect={() => void createArtifact(session.id, wanted, known)}>
            <Icon className="size-4 text-fg3" aria-hidden />
            {label}
          </DropdownMenu.Item>
        )
      })}
    </DropdownMenu.Group>
  )
}
