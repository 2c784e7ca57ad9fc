import { FileText, PanelLeft } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { openPanel } from '../artifacts/store'
import type { Session } from '../chat/session'
import { useStore } from '../ui/store'
import { boot } from './boot'
import { DemoPill } from './DemoPill'
import { OfflinePill } from './OfflinePill'

export function Header(props: { title: string; session: Session | undefined; sidebar: boolean; onShowSidebar(): void }) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 px-3">
      {!props.sidebar && (
        <button type="button" className="icon" onClick={props.onShowSidebar} aria-label="Show sidebar">
          <PanelLeft className="size-4" aria-hidden />
        </button>
      )}
      <h1 className="truncate text-[14px] font-medium text-fg2">{props.title || 'New chat'}</h1>
      <span className="ml-auto" />
      <OfflinePill />
      {props.session && <DocumentsMenu session={props.session} />}
      {boot.provider?.isDemo && <DemoPill />}
    </header>
  )
}

function DocumentsMenu({ session }: { session: Session }) {
  const { artifacts } = useStore(session.state)
  if (artifacts.length === 0) return null
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="ghost shrink-0">
        <FileText className="size-3.5" aria-hidden />
        {artifacts.length}
        <span className="max-sm:sr-only">{artifacts.length === 1 ? 'document' : 'documents'}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise max-w-80" align="end" sideOffset={6}>
          {artifacts.map((artifact) => (
            <DropdownMenu.Item key={artifact.id} className="menu-item" onSelect={() => openPanel(session.id, artifact.id)}>
              <span className="truncate">{artifact.title}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
