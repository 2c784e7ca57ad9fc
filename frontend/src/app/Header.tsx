import { t } from '@lingui/core/macro'
import { Folder, PanelLeft } from 'lucide-react'
import { boot } from '../api/boot'
import { DocumentsMenu } from '../artifacts/DocumentsMenu'
import type { Session } from '../chat/session/session'
import { TemporaryMark } from '../chat/Temporary'
import { goToProject, projectHref } from '../navigation/router'
import { ConversationCost } from '../usage/ConversationCost'
import { OfflinePill } from '../notifications/OfflinePill'
import { visibleText } from '../plainText/segments'
import { useProjectOf } from '../projects/useProjectOf'
import { ShareButton } from '../sharing/ShareButton'
import { DemoPill } from './DemoPill'

export function Header(props: { title: string; session: Session | undefined; sidebar: boolean; onShowSidebar(): void }) {
  return (
    <header className="@container flex h-12 shrink-0 items-center gap-2 px-3 max-sm:gap-1">
      {!props.sidebar && (
        <button type="button" className="icon" onClick={props.onShowSidebar} aria-label={t`Show sidebar`} title={t`Show sidebar`}>
          <PanelLeft className="size-4" aria-hidden />
        </button>
      )}
      {props.session && <ProjectLink session={props.session} />}
      <h1 title={visibleText(props.title)} className="min-w-8 truncate text-[14px] font-medium text-fg2">
        {props.title || t`New chat`}
      </h1>
      <span className="ms-auto" />
      <OfflinePill />
      {props.session && <TemporaryMark session={props.session} />}
      {props.session && <ConversationCost conversationId={props.session.id} />}
      {props.session && <DocumentsMenu session={props.session} />}
      {props.session && <ShareButton session={props.session} title={props.title} />}
      {boot.provider?.isDemo && <DemoPill />}
    </header>
  )
}

/** The project of the conversation, before its title. */
function ProjectLink({ session }: { session: Session }) {
  const project = useProjectOf(session)
  if (!project) return null
  const follow = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToProject(project.id)
  }
  return (
    <>
      <a href={projectHref(project.id)} onClick={follow} title={visibleText(project.name)} className="ghost min-w-0 max-w-48 shrink px-1.5 text-[14px]">
        <Folder data-color={project.color} className="id-mark size-4 shrink-0" aria-hidden />
        <span className="truncate">{project.name}</span>
      </a>
      <span className="-mx-1 text-fg3" aria-hidden>
        /
      </span>
    </>
  )
}
