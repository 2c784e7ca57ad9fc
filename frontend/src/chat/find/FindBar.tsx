import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { CalendarDays, ChevronDown, ChevronUp, Search, X } from 'lucide-react'
import { FIND_BOX, type Find } from './useFind'

/** Finds words in the conversation that is open. `toDay` undefined: all of it is of one day. */
export function FindBar({ find, toDay }: { find: Find; toDay: (() => void) | undefined }) {
  const { t } = useLingui()
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') find.close()
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) find.step(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      role="search"
      aria-label={t`Find in this chat`}
      onKeyDown={onKeyDown}
      className="rise absolute end-3 top-2 z-20 flex h-11 w-[min(26rem,calc(100%-24px))] items-center gap-1 rounded-xl border border-line bg-raise ps-3.5 pe-1.5 shadow-pop focus-within:border-accent"
    >
      <Search className="size-4 shrink-0 text-fg3" aria-hidden />
      <input
        id={FIND_BOX}
        autoFocus
        type="text"
        value={find.query}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.target.select()}
        onChange={(event) => find.search(event.target.value)}
        aria-label={t`Find in this chat`}
        placeholder={t`Find in this chat`}
        className="h-full min-w-0 flex-1 bg-transparent px-1.5 text-[14.5px] outline-none placeholder:text-fg3 pointer-coarse:text-[16px]"
      />
      <span role="status" className="shrink-0 whitespace-nowrap px-1.5 text-[12.5px] tabular-nums text-fg2">
        {resultText(find)}
      </span>
      <button type="button" className="icon size-8" aria-label={t`Previous`} title={t`Previous`} disabled={find.count === 0} onClick={() => find.step(-1)}>
        <ChevronUp className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon size-8" aria-label={t`Next`} title={t`Next`} disabled={find.count === 0} onClick={() => find.step(1)}>
        <ChevronDown className="size-4" aria-hidden />
      </button>
      {toDay && (
        <button type="button" className="icon size-8" aria-label={t`Go to a day`} title={t`Go to a day`} onClick={toDay}>
          <CalendarDays className="size-4" aria-hidden />
        </button>
      )}
      <button type="button" className="icon size-8" aria-label={t`Close`} title={t`Close`} onClick={find.close}>
        <X className="size-4" aria-hidden />
      </button>
    </div>
  )
}

function resultText({ query, place, count, loading }: Find): string {
  if (!query.trim()) return loading ? t`Loading…` : ''
  if (count === 0) return loading ? t`Searching…` : t`Not found`
  const current = place || '–'
  const found = loading ? `${count}+` : count
  return t`${current} of ${found}`
}
