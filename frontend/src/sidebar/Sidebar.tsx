// The sidebar: the list of conversations, the organization, and the user's menu.
import { Suspense, useEffect, useRef } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Archive, LayoutTemplate, PanelLeft, Search, SquarePen, type LucideIcon } from 'lucide-react'
import { groupByDay } from '../conversations/groups'
import { sidebarItems } from '../conversations/list'
import { useSelection } from '../conversations/selection'
import { loadMore, useConversations } from '../conversations/store'
import { target } from '../gallery/store'
import { archiveHref, goToArchive, goToTemplates, templatesHref, useRoute } from '../navigation/router'
import { startNewChat } from '../navigation/newChat'
import type { Route } from '../navigation/routes'
import { shortcutLabel } from '../navigation/shortcuts'
import { ProjectList } from '../projects/ProjectList'
import { openSearch } from '../search/dialogState'
import { ConversationRow } from './ConversationRow'
import { Brand } from '../ui/Brand'
import { lazyWithRetry } from '../ui/lazyComponent'
import { OrganizationMenu } from './OrganizationMenu'
import { UserMenu } from './UserMenu'

const SelectionBar = lazyWithRetry(() => import('../conversations/SelectionBar'))

type Props = { current: string | undefined; onHide(): void; onChoose?(): void }

export function Sidebar({ current, onHide, onChoose }: Props) {
  const startNew = () => {
    startNewChat()
    onChoose?.()
  }
  return (
    <nav aria-label={t`Conversations`} className="flex h-full w-[264px] shrink-0 flex-col border-e border-line bg-side max-[900px]:w-full">
      <div className="flex h-12 shrink-0 items-center gap-1 px-3">
        <Brand />
        <button type="button" className="icon ms-auto" onClick={onHide} aria-label={t`Hide sidebar`} title={t`Hide sidebar`}>
          <PanelLeft className="size-4" aria-hidden />
        </button>
      </div>
      <div className="space-y-0.5 px-2">
        <button type="button" onClick={startNew} className="side-row w-full font-medium text-fg">
          <SquarePen className="size-4 text-accent" aria-hidden />
          <Trans>New chat</Trans>
          <kbd className="kbd ms-auto max-[900px]:hidden">{shortcutLabel('O', true)}</kbd>
        </button>
        <SearchRow onChoose={onChoose} />
        <PageRow page="templates" href={templatesHref()} icon={LayoutTemplate} go={openTemplates} onChoose={onChoose}>
          <Trans>Templates</Trans>
        </PageRow>
      </div>
      <ConversationList current={current} onChoose={onChoose} />
      <div className="shrink-0 px-2 py-1">
        <PageRow page="archive" href={archiveHref()} icon={Archive} go={goToArchive} onChoose={onChoose}>
          <Trans>Archive</Trans>
        </PageRow>
      </div>
      <ListSelectionBar />
      <div className="shrink-0 border-t border-line p-2">
        <OrganizationMenu />
        <UserMenu />
      </div>
    </nav>
  )
}

function SearchRow({ onChoose }: { onChoose: (() => void) | undefined }) {
  const open = (event: React.MouseEvent<HTMLElement>) => {
    openSearch(event.currentTarget)
    onChoose?.()
  }
  return (
    <button type="button" onClick={open} className="side-row w-full">
      <Search className="size-4" aria-hidden />
      <Trans>Search</Trans>
      <kbd className="kbd ms-auto max-[900px]:hidden">{shortcutLabel('K')}</kbd>
    </button>
  )
}

/** Loads the next page when the end of the list becomes visible. */
function useEndInSight(): React.RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void loadMore(), { rootMargin: '200px' })
    if (end.current) observer.observe(end.current)
    return () => observer.disconnect()
  })
  return end
}

/** The pages of the archive and of a project have a bar of their own. */
function ListSelectionBar() {
  const { items } = useConversations()
  const selection = useSelection()
  const { page } = useRoute()
  const isHere = selection !== null && page !== 'archive' && page !== 'project'
  return isHere ? (
    <Suspense fallback={null}>
      <SelectionBar items={sidebarItems(items)} />
    </Suspense>
  ) : null
}

/** From here no conversation asks for one. */
function openTemplates(): void {
  target.set(null)
  goToTemplates()
}

type PageRowProps = { page: Route['page']; href: string; icon: LucideIcon; go(): void; onChoose: (() => void) | undefined; children: React.ReactNode }

function PageRow({ page, href, icon: Icon, go, onChoose, children }: PageRowProps) {
  const isOpen = useRoute().page === page
  const follow = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    go()
    onChoose?.()
  }
  return (
    <a href={href} onClick={follow} aria-current={isOpen ? 'page' : undefined} className="side-row aria-[current]:bg-press aria-[current]:font-medium aria-[current]:text-fg">
      <Icon className="size-4" aria-hidden />
      {children}
    </a>
  )
}

function ConversationList({ current, onChoose }: { current: string | undefined; onChoose: (() => void) | undefined }) {
  const conversations = useConversations()
  const { cursor } = conversations
  const items = sidebarItems(conversations.items)
  const route = useRoute()
  const end = useEndInSight()
  return (
    <div className="mt-2 min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      <ProjectList current={route.page === 'project' ? route.id : undefined} onChoose={onChoose} />
      {groupByDay(items, Date.now()).map((group) => (
        <section key={group.label} aria-label={group.label}>
          <h2 className="px-2.5 pb-1 pt-3 text-[11.5px] font-semibold text-fg3">{group.label}</h2>
          <ul>
            {group.items.map((item) => (
              <ConversationRow key={item.id} item={item} isOpen={item.id === current} onChoose={onChoose} />
            ))}
          </ul>
        </section>
      ))}
      {cursor === undefined && <ListSkeleton />}
      {cursor === null && items.length === 0 && <p className="px-3 py-8 text-center text-[13px] text-fg3"><Trans>Your conversations will be listed here.</Trans></p>}
      {cursor !== null && <div ref={end} key={conversations.items.length} className="h-8" />}
    </div>
  )
}

const WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-4/5', 'w-3/5']

function ListSkeleton() {
  return (
    <div role="status" className="space-y-4 px-2.5 pt-4" aria-label={t`Loading conversations`}>
      {WIDTHS.map((width) => (
        <div key={width} className={`skeleton h-3.5 ${width}`} />
      ))}
    </div>
  )
}
