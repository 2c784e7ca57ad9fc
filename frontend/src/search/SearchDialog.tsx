// The search over titles, messages and documents of all conversations (Ctrl+K). The server searches; this folder asks it and shows what it found.
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Search as SearchIcon, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { draftSession } from '../chat/session/sessions'
import { useConversations } from '../conversations/store'
import { goHome, goToConversation } from '../navigation/router'
import { focusMessageBox } from '../navigation/shortcuts'
import { closeSearch, firstProject, focusOpener } from './dialogState'
import { isAsked, isFiltered, NO_FILTERS, type SearchFilters } from './filters'
import { FilterBar, focusInput } from './FilterBar'
import { openInNewTab, placeOf, ResultList } from './ResultList'
import { recentGroups, resultGroups, rowsOf, type Row } from './results'
import { answers, useSearch, type Search } from './useSearch'

export default function SearchDialog() {
  const hasChosen = useRef(false)
  const closed = (event: Event) => {
    if (hasChosen.current) event.preventDefault()
    else focusOpener(event)
  }
  const choose = (row: Row) => {
    hasChosen.current = true
    closeSearch()
    if (row.kind === 'new') return beginWith(row.text)
    goToConversation(row.hit.conversationId, placeOf(row.hit))
    if (!row.hit.messageId && !row.hit.artifactId) setTimeout(focusMessageBox) // a message or a document that is shown gets the focus itself
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeSearch()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          className="rise fixed left-1/2 top-[72px] z-50 flex max-h-[min(650px,calc(100dvh-96px))] w-[min(760px,96vw)] -translate-x-1/2 flex-col overflow-hidden rounded-[18px] border border-line bg-raise shadow-dialog outline-none max-sm:top-2 max-sm:max-h-[calc(100dvh-16px)]"
          aria-describedby={undefined}
          onCloseAutoFocus={closed}
        >
          <Dialog.Title className="sr-only"><Trans>Search</Trans></Dialog.Title>
          <SearchPanel onChoose={choose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A new chat with the text in the message box, which the user may still change. */
function beginWith(text: string): void {
  goHome()
  draftSession().state.patch({ returnedText: text })
  setTimeout(focusMessageBox)
}

function SearchPanel({ onChoose }: { onChoose(row: Row): void }) {
  const [searchText, setSearchText] = useState('')
  const [filters, setFilters] = useState<SearchFilters>(() => ({ ...NO_FILTERS, projectId: firstProject() }))
  const [attempt, setAttempt] = useState(0)
  const [pointed, setPointed] = useState<string>()
  const [entered, setEntered] = useState(false)
  const { items } = useConversations()
  const query = searchText.trim()
  const search = useSearch(query, filters, attempt)
  const isSearch = isAsked(query, filters)
  const groups = isSearch ? (search.answer ? resultGroups(search.answer.page, search.answer.query) : []) : recentGroups(items)
  const rows = rowsOf(groups)
  const active = rows.find(({ id }) => id === pointed) ?? rows[0]
  const list = useId()
  useEffect(() => {
    document.getElementById(active?.id ?? '')?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])
  // Enter right after the last letter means what will be found, not what is still shown for the letters before.
  const isSettled = !isSearch || answers(search, query, filters) || rows.some(({ id }) => id === pointed)
  useEffect(() => {
    if (entered && isSettled && active) onChoose(active)
  }, [entered, isSettled, active, onChoose])
  const move = (step: number) => setPointed(rows[(rows.findIndex(({ id }) => id === active?.id) + step + rows.length) % rows.length]?.id)
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key !== 'Enter') return
    else if (!event.ctrlKey && !event.metaKey) setEntered(true)
    else if (active?.kind === 'hit' && isSettled) openInNewTab(active.hit)
    event.preventDefault()
  }
  const widen = (button: HTMLElement, wider: SearchFilters) => {
    focusInput(button)
    setFilters(wider)
  }
  const change = (text: string) => {
    setSearchText(text)
    setPointed(undefined)
    setEntered(false)
  }
  return (
    <>
      <label className="flex h-14 shrink-0 items-center gap-3 border-b border-line px-4">
        <SearchIcon className="size-4.5 shrink-0 text-fg3" aria-hidden />
        <input
          autoFocus
          role="combobox"
          aria-label={t`Search your chats`}
          aria-expanded={rows.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={active?.id}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={searchText}
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={t`Search your chats`}
          className="h-full w-full min-w-0 bg-transparent text-[16px] outline-none placeholder:text-fg3"
        />
        <button type="button" onClick={closeSearch} className="kbd shrink-0 pointer-coarse:hidden">
          <Trans>Esc<span className="sr-only">, close</span></Trans>
        </button>
        <button type="button" onClick={closeSearch} aria-label={t`Close`} title={t`Close`} className="icon -me-2 hidden shrink-0 pointer-coarse:inline-flex">
          <X className="size-4" aria-hidden />
        </button>
      </label>
      <FilterBar filters={filters} onChange={setFilters} />
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0}>
        <SearchStatus search={search} isAsked={isSearch} onRetry={() => setAttempt(attempt + 1)}>
          {isFiltered(filters) && (
            <button type="button" className="btn" onClick={(event) => widen(event.currentTarget, { ...NO_FILTERS, withArchived: filters.withArchived })}>
              <Trans>Clear filters</Trans>
            </button>
          )}
          {!filters.withArchived && (
            <button type="button" className="btn" onClick={(event) => widen(event.currentTarget, { ...filters, withArchived: true })}>
              <Trans>Search archived chats, too</Trans>
            </button>
          )}
        </SearchStatus>
        {search.slow && <Skeleton />}
        {!search.slow && <ResultList id={list} groups={groups} active={active?.id} onPoint={setPointed} onChoose={onChoose} />}
      </div>
      <Footer count={isSearch ? search.answer?.page.items.length : undefined} more={Boolean(search.answer?.page.nextCursor)} />
    </>
  )
}

/** What is to be said about the results, before them. `children`: ways to find more. */
function SearchStatus({ search, isAsked, onRetry, children }: { search: Search; isAsked: boolean; onRetry(): void; children: ReactNode }) {
  const { answer, error, slow } = search
  if (error) {
    return (
      <div role="alert" className="flex items-center gap-3 px-5 py-4 text-[14px] text-bad">
        <p className="min-w-0 flex-1">{error}</p>
        <button type="button" className="btn" onClick={onRetry}>
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  }
  if (!isAsked || !answer || slow) return null
  if (answer.page.items.length === 0) {
    return (
      <div className="flex flex-col items-center gap-3 px-5 pb-2 pt-8 text-center text-[14px] text-fg2">
        <p>{answer.query ? t`Nothing found for “${answer.query}”` : t`Nothing found`}</p>
        <div className="flex flex-wrap justify-center gap-2">{children}</div>
      </div>
    )
  }
  if (answer.page.similar.length === 0) return null
  return <p className="px-5 pt-3 text-[13px] text-fg2"><Trans>No exact match. Showing results for {answer.page.similar.map((word) => t`“${word}”`).join(', ')}.</Trans></p>
}

function Skeleton() {
  return (
    <div role="status" aria-label={t`Searching`} className="space-y-5 px-5 py-5">
      {['w-1/2', 'w-2/3', 'w-2/5'].map((width) => (
        <div key={width} className="space-y-2">
          <div className={`skeleton h-3.5 ${width}`} />
          <div className="skeleton h-3 w-4/5" />
        </div>
      ))}
    </div>
  )
}

function Footer({ count, more }: { count: number | undefined; more: boolean }) {
  return (
    <div className={`flex h-10 shrink-0 items-center gap-4 border-t border-line bg-side px-4 text-[12px] text-fg2 ${count === undefined ? 'max-sm:sr-only pointer-coarse:sr-only' : ''}`}>
      <span className="flex gap-4 pointer-coarse:hidden max-sm:hidden" aria-hidden>
        <span>
          <Trans><kbd className="kbd">↑</kbd> <kbd className="kbd">↓</kbd> Move</Trans>
        </span>
        <span>
          <Trans><kbd className="kbd">Enter</kbd> Open</Trans>
        </span>
        <span>
          <Trans><kbd className="kbd">Ctrl Enter</kbd> New tab</Trans>
        </span>
        <span>
          <Trans><kbd className="kbd">Tab</kbd> Filters</Trans>
        </span>
      </span>
      <span role="status" className="ms-auto">
        {count === undefined ? '' : more ? t`Top ${count}` : plural(count, { one: '# result', other: '# results' })}
      </span>
    </div>
  )
}
