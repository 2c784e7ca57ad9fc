import { useRef } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { TemplateItem } from '../api/generated'
import { PlainText } from '../plainText/PlainText'
import { Thumbnail } from './Thumbnail'
import { KINDS, STATES } from './labels'

type Props = { items: readonly TemplateItem[]; selectedId: string | undefined; isNarrow: boolean; onChoose(id: string): void; onUse(): void }

const columnsOf = (grid: HTMLElement): number => getComputedStyle(grid).gridTemplateColumns.split(' ').length

/** How many places an arrow key moves in a grid; undefined: it is another key. */
function step(key: string, columns: number, at: number, count: number): number | undefined {
  const forward = document.dir === 'rtl' ? -1 : 1
  const steps: Record<string, number> = { ArrowRight: forward, ArrowLeft: -forward, ArrowDown: columns, ArrowUp: -columns, Home: -at, End: count - 1 - at }
  return steps[key]
}

/** Cards in a grid. Arrow keys walk it and the aside follows; Enter uses the template. */
export function TemplateGrid({ items, selectedId, isNarrow, onChoose, onUse }: Props) {
  const grid = useRef<HTMLDivElement>(null)
  const current = Math.max(0, items.findIndex(({ id }) => id === selectedId))
  const handleKey = (event: React.KeyboardEvent, at: number) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const { id } = items[at]!
      if (event.key === 'Enter' && id === selectedId) onUse()
      else onChoose(id)
      return
    }
    const by = step(event.key, columnsOf(grid.current!), at, items.length)
    if (by === undefined) return
    event.preventDefault()
    const next = items[at + by]
    if (!next) return
    if (!isNarrow) onChoose(next.id)
    const cards = grid.current!.querySelectorAll<HTMLElement>('[role=option]')
    cards[at + by]!.focus()
  }
  return (
    <div ref={grid} role="listbox" aria-label={t`Templates`} className="grid grid-cols-[repeat(auto-fill,minmax(13.5rem,1fr))] gap-3 max-sm:grid-cols-2 max-sm:gap-2">
      {items.map((item, at) => (
        <div
          key={item.id}
          role="option"
          aria-selected={item.id === selectedId}
          tabIndex={at === current ? 0 : -1}
          onClick={() => onChoose(item.id)}
          onKeyDown={(event) => handleKey(event, at)}
          className="cursor-pointer overflow-hidden rounded-[14px] border border-line bg-raise transition-colors hover:border-line2 aria-selected:border-accent aria-selected:shadow-[0_0_0_1px_var(--accent)]"
        >
          <Thumbnail template={item} />
          <TemplateCaption item={item} />
        </div>
      ))}
    </div>
  )
}

function TemplateCaption({ item }: { item: TemplateItem }) {
  const { t } = useLingui()
  const { icon: Icon, one } = KINDS[item.kind]
  return (
    <div className="border-t border-line px-3.5 py-2.5">
      <p className="truncate text-[14px] font-semibold">
        <PlainText text={item.title} prose />
      </p>
      <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-[12.5px] text-fg2">
        <Icon className="size-3.5 shrink-0" aria-hidden />
        {t(one)}
        <span className="ms-auto" />
        <Fact item={item} />
      </p>
    </div>
  )
}

/** What sets this one apart: its state while it isn't everybody's, else how often it was used. */
function Fact({ item: { state, source, uses } }: { item: TemplateItem }) {
  const { t } = useLingui()
  if (source === 'parley') return <span className="text-fg3"><Trans>By Parley</Trans></span>
  if (state === 'in_review') return <span className="rounded-md bg-warn-soft px-1.5 font-medium text-warn">{t(STATES[state])}</span>
  if (state !== 'published') return <span className="rounded-md bg-hover px-1.5 font-medium">{t(STATES[state])}</span>
  return <span className="tabular-nums text-fg3">{plural(uses ?? 0, { one: '# use', other: '# uses' })}</span>
}
