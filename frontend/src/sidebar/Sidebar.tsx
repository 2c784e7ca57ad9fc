// The sidebar: the list of conversations, the organization, and the user's menu.
import { useEffect, useRef, useState } from 'react'
import { PanelLeft, Search, SquarePen } from 'lucide-react'
import { filterByTitle, groupByDay } from '../conversations/groups'
import { loadMore, useConversations } from '../conversations/store'
import { goHome } from '../navigation/router'
import { FILTER_BOX, shortcutLabel } from '../navigation/shortcuts'
import { ConversationRow } from './ConversationRow'
import { Brand } from '../ui/Brand'
import { OrganizationMenu } from './OrganizationMenu'
import { UserMenu } from './UserMenu'

type Props = { current: string | undefined; onHide(): void; onChoose?(): void }

export function Sidebar({ current, onHide, onChoose }: Props) {
  const [filter, setFilter] = useState('')
  const startNew = () => {
    goHome()
    onChoose?.()
  }
  return (
    <nav aria-label="Conversations" className="flex h-full w-[264px] shrink-0 flex-col border-r border-line bg-side max-[900px]:w-full">
      <div className="flex h-12 shrink-0 items-center gap-1 px-3">
        <Brand />
        <button type="button" className="icon ml-auto" onClick={onHide} aria-label="Hide sidebar">
          <PanelLeft className="size-4" aria-hidden />
        </button>
      </div>
      <div className="space-y-0.5 px-2">
        <button type="button" onClick={startNew} className="side-row w-full font-medium text-fg">
          <SquarePen className="size-4 text-accent" aria-hidden />
          New chat
          <kbd className="kbd ml-auto max-[900px]:hidden">{shortcutLabel('O', true)}</kbd>
        </button>
        <FilterBox value={filter} onChange={setFilter} />
      </div>
      <ConversationList filter={filter} current={current} onChoose={onChoose} />
      <div className="shrink-0 border-t border-line p-2">
        <OrganizationMenu />
        <UserMenu />
      </div>
    </nav>
  )
}

function FilterBox({ value, onChange }: { value: string; onChange(value: string): void }) {
  /** Esc clears the field, and does nothing else then. */
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape' || !value) return
    event.preventDefault()
    onChange('')
  }
  return (
    <label className="side-row cursor-text focus-within:bg-hover">
      <Search className="size-4 shrink-0" aria-hidden />
      <input
        id={FILTER_BOX}
        type="search"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder="Filter"
        aria-label="Filter conversations by title"
        className="w-full min-w-0 bg-transparent text-fg outline-none placeholder:text-fg3"
      />
      <kbd className="kbd max-[900px]:hidden">{shortcutLabel('K')}</kbd>
    </label>
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

function ConversationList({ filter, current, onChoose }: { filter: string; current: string | undefined; onChoose: (() => void) | undefined }) {
  const { items, cursor } = useConversations()
  const end = useEndInSight()
  const shown = filterByTitle(items, filter)
  return (
    <div className="mt-2 min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      {groupByDay(shown, Date.now()).map((group) => (
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
      {cursor === null && <EmptyNote filter={filter} shown={shown.length} all={items.length} />}
      {cursor !== null && <div ref={end} key={items.length} className="h-8" />}
    </div>
  )
}

function EmptyNote({ filter, shown, all }: { filter: string; shown: number; all: number }) {
  if (shown > 0) return null
  return <p className="px-3 py-8 text-center text-[13px] text-fg3">{all === 0 ? 'Your conversations will be listed here.' : `No title matches “${filter}”.`}</p>
}

const WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-4/5', 'w-3/5']

function ListSkeleton() {
  return (
    <div role="status" className="space-y-4 px-2.5 pt-4" aria-label="Loading conversations">
      {WIDTHS.map((width) => (
        <div key={width} className={`skeleton h-3.5 ${width}`} />
      ))}
    </div>
  )
}
