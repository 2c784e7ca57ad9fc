// The layout of the page: sidebar, header, conversation and panel. This folder puts the others together, and none of them imports it.
import { Suspense, useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { closePanel, openPanel, usePanel } from '../artifacts/store'
import { DESKTOP, WIDE, useMedia } from '../browser/useMedia'
import { ConversationView, ThreadWithEnd } from '../chat/ConversationView'
import { copyNewestAnswer } from '../chat/copyAnswer'
import { loadSdk } from '../chat/session/chat'
import type { Session } from '../chat/session/session'
import type { SessionState } from '../chat/session/sessionState'
import { draftSession, sessionOf } from '../chat/session/sessions'
import { useConversations } from '../conversations/store'
import { useUnread } from '../conversations/unread'
import { NotFound } from '../navigation/NotFound'
import { startNewChat } from '../navigation/newChat'
import { useRoute } from '../navigation/router'
import type { Route } from '../navigation/routes'
import { useShortcuts } from '../navigation/shortcuts'
import { visibleText } from '../plainText/segments'
import { projectDialog } from '../projects/dialogState'
import { loadProjects } from '../projects/store'
import { ProofDialog } from '../proof/ProofDialog'
import { openSearch, searchOpen } from '../search/dialogState'
import { openShortcuts } from '../shortcuts/dialogState'
import { Sidebar } from '../sidebar/Sidebar'
import { lazyComponent, lazyWithRetry } from '../ui/lazyComponent'
import { createStore, useStore } from '../ui/store'
import { Toasts } from '../ui/toasts'
import { Drawer } from './Drawer'
import { Header } from './Header'
import { Overlays } from './Overlays'
import { useBackCloses } from './useBackCloses'

const SearchDialog = lazyComponent(() => import('../search/SearchDialog').then((module) => module.default))
const UsagePage = lazyWithRetry(() => import('../usage/UsagePage'))
const ArchivePage = lazyWithRetry(() => import('../conversations/ArchivePage'))
const ProjectPage = lazyWithRetry(() => import('../projects/ProjectPage'))
const ProjectDialogs = lazyWithRetry(() => import('../projects/ProjectDialogs'))
const GalleryPage = lazyWithRetry(() => import('../gallery/GalleryPage'))
const SharedPage = lazyWithRetry(() => import('../sharing/opened/SharedPage'))
const ArtifactPanel = lazyWithRetry(() => import('../artifacts/panel/Panel'))

/** What the first clicks need is fetched once the page is drawn, so that it is there at once and also offline. */
function fetchRest(): void {
  void loadSdk().catch(() => undefined) // the first send tries again
  ThreadWithEnd.fetch()
  SearchDialog.fetch()
}

type TitledState = Pick<SessionState, 'title' | 'load'>

const nothing = createStore<TitledState>({ title: '', load: 'missing' })

/** The title from the list, which is kept up to date. A conversation that the list has not loaded yet uses its own. `unread`: how many others have an unread answer. */
function useTitle(page: Route['page'], session: Session | undefined, unread: number): string {
  const { items } = useConversations()
  const own = useStore<TitledState>(session?.state ?? nothing)
  const listTitle = items.find((item) => item.id === session?.id)?.title
  const title = pageTitle(page) ?? (visibleText(listTitle || own.title) || placeholderTitle(own.load))
  useEffect(() => {
    const page = title ? `${title} · ${boot.organization.name}` : boot.organization.name
    document.title = unread ? `(${unread}) ${page}` : page
  }, [title, unread])
  return title
}

/** Whether the sidebar is shown. A window that becomes narrow does not open it over the page, and over a page that was just opened it closes. */
function useSidebar(route: Route) {
  const isWide = useMedia(WIDE)
  const beside = useState(true)
  const drawer = useState(false)
  const [, openDrawer] = drawer
  useEffect(() => openDrawer(false), [isWide, route, openDrawer])
  return isWide ? beside : drawer
}

/** Draws everything again when the language changes: texts are read where they are drawn. */
export function App() {
  useLingui()
  const route = useRoute()
  const [sidebar, setSidebar] = useSidebar(route)
  const isBeside = useMedia(WIDE) && sidebar // the drawer gives the focus back to the header's button, so that this stays
  const session = route.page === 'new' ? draftSession() : route.page === 'conversation' ? sessionOf(route.id) : undefined
  const current = route.page === 'conversation' ? route.id : undefined
  const title = useTitle(route.page, session, useUnread(current))
  useEffect(() => void setTimeout(fetchRest), [])
  useEffect(() => void loadProjects(), [])
  useShortcuts({ newChat: startNewChat, search: openSearch, help: openShortcuts, sidebar: () => setSidebar((open) => !open), copyAnswer: () => session && void copyNewestAnswer(session) })
  return (
    <div className="flex h-full overflow-hidden">
      <a href="#message" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-lg focus:bg-raise focus:p-2">
        <Trans>Skip to the message box</Trans>
      </a>
      <SidebarPlace open={sidebar} current={current} onOpenChange={setSidebar} />
      <div className="flex min-w-0 flex-1">
        <main className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Header title={title} session={session} sidebar={isBeside} onShowSidebar={() => setSidebar(true)} />
          {session ? <ConversationView key={session.id} session={session} /> : <Suspense fallback={null}><OtherPage route={route} /></Suspense>}
        </main>
        {session && <PanelPlace session={session} />}
      </div>
      <SearchPlace />
      <Overlays />
      <ProjectDialogPlace />
      <ProofDialog />
      <Toasts />
    </div>
  )
}

/** What stands for a title; empty for a new chat. */
function placeholderTitle(load: SessionState['load']): string {
  if (load === 'missing') return t`Not found`
  return load === 'new' || load === 'ready' ? '' : t`Conversation`
}

function pageTitle(page: Route['page']): string | undefined {
  if (page === 'usage') return t`My usage`
  if (page === 'archive') return t`Archive`
  if (page === 'templates') return t`Templates`
  if (page === 'shared') return t`Shared`
  return page === 'project' ? t`Project` : undefined
}

function OtherPage({ route }: { route: Route }) {
  if (route.page === 'usage') return <UsagePage />
  if (route.page === 'archive') return <ArchivePage />
  if (route.page === 'templates') return <GalleryPage id={route.id} />
  if (route.page === 'shared') return <SharedPage key={route.id} id={route.id} />
  return route.page === 'project' ? <ProjectPage id={route.id} /> : <NotFound />
}

function ProjectDialogPlace() {
  const dialog = useStore(projectDialog)
  return dialog ? (
    <Suspense fallback={null}>
      <ProjectDialogs dialog={dialog} />
    </Suspense>
  ) : null
}

function SidebarPlace({ open, current, onOpenChange }: { open: boolean; current: string | undefined; onOpenChange(open: boolean): void }) {
  const roomy = useMedia(WIDE)
  const close = () => onOpenChange(false)
  if (roomy) return open ? <Sidebar current={current} onHide={close} /> : null
  return (
    <Drawer open={open} onOpenChange={onOpenChange} title={t`Conversations`}>
      <Sidebar current={current} onHide={close} onChoose={close} />
    </Drawer>
  )
}

function SearchPlace() {
  return useStore(searchOpen) ? <SearchDialog /> : null
}

/** The panel belongs to the conversation in which it was opened. */
function PanelPlace({ session }: { session: Session }) {
  const panel = usePanel()
  const desktop = useMedia(DESKTOP)
  const route = useRoute()
  useEffect(() => {
    if (route.page === 'conversation' && route.artifactId) openPanel(route.id, route.artifactId)
  }, [route])
  useBackCloses(panel?.conversationId === session.id && !desktop, closePanel)
  if (!panel || panel.conversationId !== session.id) return null
  return (
    <Suspense fallback={desktop ? <div className="w-[52%] shrink-0 border-s border-line" /> : null}>
      <ArtifactPanel key={panel.artifactId} panel={panel} desktop={desktop} />
    </Suspense>
  )
}
