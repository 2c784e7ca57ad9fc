import { useRef } from 'react'
import { FileText } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ArtifactDetail } from '../api/generated'
import { canWrite } from '../api/boot'
import type { Session } from '../chat/session/session'
import { useStore } from '../ui/store'
import { PlainText } from '../plainText/PlainText'
import { createImage, IMAGE_ACCEPT } from './images'
import { kindOf } from './kinds'
import { lastViews } from './panel/lastViews'
import { createArtifact, openPanel } from './store'

/** What a member can create without an agent. A sheet starts with empty cells to write in. */
const NEW = [
  { kind: 'text', label: 'Document', content: '' },
  { kind: 'python', label: 'Program', content: '' },
  { kind: 'mermaid', label: 'Diagram', content: '' },
  { kind: 'code', label: 'Code', content: '' },
  { kind: 'sheet', label: 'Sheet', content: ',,\n'.repeat(5) },
] as const

/** Lists the documents of a stored conversation and creates new ones. */
export function DocumentsMenu({ session }: { session: Session }) {
  const { artifacts, load } = useStore(session.state)
  const canAdd = canWrite && load === 'ready'
  const picture = useRef<HTMLInputElement>(null)
  if (artifacts.length === 0 && !canAdd) return null
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="ghost shrink-0">
          <FileText className="size-3.5" aria-hidden />
          {artifacts.length > 0 && artifacts.length}
          <span className="max-sm:sr-only">{artifacts.length === 0 ? 'Documents' : artifacts.length === 1 ? 'document' : 'documents'}</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise max-h-[80vh] max-w-80 min-w-44 overflow-y-auto" align="end" sideOffset={6}>
            {artifacts.map((artifact) => (
              <DropdownMenu.Item key={artifact.id} className="menu-item" onSelect={() => openPanel(session.id, artifact.id)}>
                <span className="truncate"><PlainText text={artifact.title} prose /></span>
              </DropdownMenu.Item>
            ))}
            {artifacts.length > 0 && canAdd && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
            {canAdd && <NewItems session={session} onImage={() => picture.current?.click()} />}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {canAdd && <PictureInput ref={picture} session={session} />}
    </>
  )
}

function addToSession(session: Session, { id, title, kind, latestVersion: version }: ArtifactDetail): void {
  session.receiveArtifact({ id, title, kind, version, status: 'ready', operation: 'create', callId: '' })
}

/** It is outside the menu because the menu is closed by the time a file is chosen. */
function PictureInput({ ref, session }: { ref: React.Ref<HTMLInputElement>; session: Session }) {
  const make = (file: File | undefined) => file && void createImage(session.id, file, (artifact) => addToSession(session, artifact))
  return (
    <input
      ref={ref}
      type="file"
      accept={IMAGE_ACCEPT}
      hidden
      aria-label="Picture for a new image"
      onChange={(event) => {
        make(event.target.files?.[0])
        event.target.value = ''
      }}
    />
  )
}

function NewItems({ session, onImage }: { session: Session; onImage(): void }) {
  const { icon: ImageIcon, label: image } = kindOf('image')
  const onCreated = (artifact: ArtifactDetail) => {
    if (artifact.kind !== 'sheet') lastViews.set(artifact.id, 'edit')
    addToSession(session, artifact)
  }
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="px-2.5 py-1 text-[12.5px] text-fg3">New</DropdownMenu.Label>
      {NEW.map(({ kind, label, content }) => {
        const { icon: Icon } = kindOf(kind)
        const newArtifact = { title: `New ${label.toLowerCase()}`, kind, content }
        return (
          <DropdownMenu.Item key={kind} className="menu-item" onSelect={() => void createArtifact(session.id, newArtifact, onCreated)}>
            <Icon className="size-4 text-fg3" aria-hidden />
            {label}
          </DropdownMenu.Item>
        )
      })}
      <DropdownMenu.Item className="menu-item" onSelect={onImage}>
        <ImageIcon className="size-4 text-fg3" aria-hidden />
        {image}…
      </DropdownMenu.Item>
    </DropdownMenu.Group>
  )
}
