import { PanelLeft } from 'lucide-react'
import { boot } from '../api/boot'
import { DocumentsMenu } from '../artifacts/DocumentsMenu'
import type { Session } from '../chat/session/session'
import { ConversationCost } from '../usage/ConversationCost'
import { OfflinePill } from '../notifications/OfflinePill'
import { DemoPill } from './DemoPill'

export function Header(props: { title: string; session: Session | undefined; sidebar: boolean; onShowSidebar(): void }) {
  return (
    <header className="@container flex h-12 shrink-0 items-center gap-2 px-3">
      {!props.sidebar && (
        <button type="button" className="icon" onClick={props.onShowSidebar} aria-label="Show sidebar">
          <PanelLeft className="size-4" aria-hidden />
        </button>
      )}
      <h1 className="min-w-16 truncate text-[14px] font-medium text-fg2">{props.title || 'New chat'}</h1>
      <span className="ml-auto" />
      <OfflinePill />
      {props.session && <ConversationCost conversationId={props.session.id} />}
      {props.session && <DocumentsMenu session={props.session} />}
      {boot.provider?.isDemo && <DemoPill />}
    </header>
  )
}
