import { useRef } from 'react'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { FileText, LayoutTemplate } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ArtifactDetail } from '../api/generated'
import { canWrite } from '../api/boot'
import type { Session } from '../chat/session/session'
import { chooseTemplateFor } from '../gallery/store'
import { useStore } from '../ui/store'
import { PlainText } from '../plainText/PlainText'
import { createImage, IMAGE_ACCEPT } from './images'
import { kindOf } from './kinds'
import { lastViews } from './panel/lastViews'
import { createArtifact, openPanel } from './store'

/** What a member can create without an agent. A sheet starts with empty cells to write in. */
const NEW = [
  { kind: 'text', label: msg`Document`, title: msg`New document`, content: '' },
  { kind: 'python', label: msg`Program`, title: msg`New program`, content: '' },
  { kind: 'mermaid', label: msg`Diagram`, title: msg`New diagram`, content: '' },
  { kind: 'code', label: msg`Code`, title: msg`New code`, content: '' },
  { kind: 'sheet', label: msg`Sheet`, title: msg`New sheet`, content: ',,\n'.repeat(5) },
] as const

/** Lists the documents of a stored conversation and creates new ones. */
export function DocumentsMenu({ session }: { session: Session }) {
  const { artifacts, load } = useStore(session.state)
  const canAdd = canWrite && load === 'ready'
  const count = artifacts.length
  const picture = useRef<HTMLInputElement>(null)
  if (count === 0 && !canAdd) return null
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="ghost shrink-0">
          <FileText className="size-3.5" aria-hidden />
          {count > 0 && count}
          <span className="max-sm:sr-only">{count === 0 ? <Trans>Documents</Trans> : <Plural value={count} one="document" other="documents" />}</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise max-h-[80vh] max-w-80 min-w-44 overflow-y-auto" align="end" sideOffset={6}>
            {artifacts.map((artifact) => (
              <DropdownMenu.Item key={artifact.id} className="menu-item" onSelect={() => openPanel(session.id, artifact.id)}>
                <span className="truncate"><PlainText text={artifact.title} prose /></span>
              </DropdownMenu.Item>
            ))}
            {count > 0 && canAdd && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
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
  const { t } = useLingui()
  const make = (file: File | undefined) => file && void createImage(session.id, file, (artifact) => addToSession(session, artifact))
  return (
    <input
      ref={ref}
      type="file"
      accept={IMAGE_ACCEPT}
      hidden
      aria-label={t`Picture for a new image`}
      onChange={(event) => {
        make(event.target.files?.[0])
        event.target.value = ''
      }}
    />
  )
}

function NewItems({ session, onImage }: { session: Session; onImage(): void }) {
  const { t } = useLingui()
  const { icon: ImageIcon } = kindOf('image')
  const onCreated = (artifact: ArtifactDetail) => {
    if (artifact.kind !== 'sheet') lastViews.set(artifact.id, artifact.kind === 'text' ? 'write' : 'edit')
    addToSession(session, artifact)
  }
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="px-2.5 py-1 text-[12.5px] text-fg3"><Trans>New</Trans></DropdownMenu.Label>
      {NEW.map(({ kind, label, title, content }) => {
        const { icon: Icon } = kindOf(kind)
        const newArtifact = { title: t(title), kind, content }
        return (
          <DropdownMenu.Item key={kind} className="menu-item" onSelect={() => void createArtifact(session.id, newArtifact, onCreated)}>
            <Icon className="size-4 text-fg3" aria-hidden />
            {t(label)}
          </DropdownMenu.Item>
        )
      })}
      <DropdownMenu.Item className="menu-item" onSelect={onImage}>
        <ImageIcon className="size-4 text-fg3" aria-hidden />
        <Trans>Image…</Trans>
      </DropdownMenu.Item>
      <DropdownMenu.Item className="menu-item" onSelect={() => chooseTemplateFor({ id: session.id, title: session.state.get().title })}>
        <LayoutTemplate className="size-4 text-fg3" aria-hidden />
        <Trans>From a template…</Trans>
      </DropdownMenu.Item>
    </DropdownMenu.Group>
  )
}
