// The gallery: templates in a grid, filters above it, and the chosen one beside it.
import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { LayoutTemplate, Plus, Search } from 'lucide-react'
import { boot, canWrite } from '../api/boot'
import type { TemplateKind } from '../api/generated'
import { useMedia } from '../browser/useMedia'
import { goToTemplates, replaceTemplate } from '../navigation/router'
import type { Source, TemplateFilters } from './galleryApi'
import { editTemplate } from './store'
import { TemplateAside, USE_FORM } from './TemplateAside'
import { TemplateGrid } from './TemplateGrid'
import { useTemplates, type TemplateList } from './useTemplates'
import { KIND_NAMES, KINDS } from './labels'

/** From here on the chosen template has room beside the grid. */
const ROOMY = '(min-width: 1180px)'
const ALL: TemplateFilters = { q: '', kind: '', category: '', source: '' }

export default function GalleryPage({ id }: { id: string | undefined }) {
  const [filters, setFilters] = useState(ALL)
  const list = useTemplates(filters)
  const isNarrow = !useMedia(ROOMY)
  const first = list.items[0]?.id
  const hasChosen = useRef(false)
  useEffect(() => {
    if (!hasChosen.current && !isNarrow && !id && first) replaceTemplate(first)
    hasChosen.current ||= id !== undefined || first !== undefined // whoever closes it wants room for the grid
  }, [isNarrow, id, first])
  const choose = (templateId: string) => (isNarrow ? goToTemplates(templateId) : replaceTemplate(templateId))
  const aside = id && <TemplateAside key={id} id={id} onClose={() => goToTemplates()} />
  if (aside && isNarrow) return aside
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={t`Templates`}>
        <div className="mx-auto w-full max-w-[1040px] px-7 pb-12 pt-2 max-sm:px-4">
          <Head filters={filters} onChange={setFilters} />
          <Filters filters={filters} categories={list.categories} onChange={setFilters} />
          <TemplateGrid items={list.items} selectedId={id} isNarrow={isNarrow} onChoose={choose} onUse={use} />
          <End list={list} filters={filters} onReset={() => setFilters(ALL)} />
        </div>
      </div>
      {aside && <div className="flex w-[25rem] shrink-0 flex-col border-s border-line bg-side">{aside}</div>}
    </div>
  )
}

/** Sends the form beside the grid; the browser shows which field is still needed. */
const use = (): void => (document.getElementById(USE_FORM) as HTMLFormElement | null)?.requestSubmit()

type FilterProps = { filters: TemplateFilters; onChange(filters: TemplateFilters): void }

function Head({ filters, onChange }: FilterProps) {
  const begin = () => editTemplate({ id: null, mayChangeKind: true, kind: 'text', title: '', description: '', category: '', body: '', placeholders: [] })
  return (
    <div className="flex flex-wrap items-center gap-2.5 pb-3">
      <h2 className="me-auto text-[24px] font-[680] tracking-[-0.026em]">
        <Trans>Templates</Trans>
      </h2>
      <label className="relative w-60 max-sm:order-last max-sm:w-full">
        <span className="sr-only">
          <Trans>Search templates</Trans>
        </span>
        <Search className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-fg3" aria-hidden />
        <input type="search" value={filters.q} maxLength={100} placeholder={t`Search templates`} onChange={(event) => onChange({ ...filters, q: event.target.value })} className="field h-8.5 pointer-coarse:h-11 w-full rounded-lg ps-9 text-[13.5px]" />
      </label>
      {canWrite && (
        <button type="button" className="btn h-8.5" onClick={begin}>
          <Plus className="size-4" aria-hidden />
          <Trans>New template</Trans>
        </button>
      )}
    </div>
  )
}

const CHIP = 'h-8 shrink-0 rounded-full border border-line2 bg-raise px-3 text-[13px] font-medium transition-colors hover:bg-hover aria-pressed:border-fg aria-pressed:bg-fg aria-pressed:text-bg pointer-coarse:h-11'

function Filters({ filters, categories, onChange }: FilterProps & { categories: readonly string[] }) {
  const { t } = useLingui()
  const kinds: readonly (TemplateKind | '')[] = ['', ...KIND_NAMES]
  const select = 'h-8 max-w-72 rounded-lg bg-transparent px-1.5 text-[13px] font-medium text-fg2 hover:bg-hover pointer-coarse:h-11'
  const { name } = boot.organization
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-4">
      <div role="group" aria-label={t`Kind`} className="flex min-w-0 gap-1.5 overflow-x-auto p-0.5 max-sm:w-full">
        {kinds.map((kind) => (
          <button key={kind} type="button" aria-pressed={filters.kind === kind} className={CHIP} onClick={() => onChange({ ...filters, kind })}>
            {kind ? t(KINDS[kind].many) : t`All`}
          </button>
        ))}
      </div>
      <div className="ms-auto flex min-w-0 gap-1 max-sm:ms-0">
        <select value={filters.category} aria-label={t`Category`} className={select} onChange={(event) => onChange({ ...filters, category: event.target.value })}>
          <option value="">{t`All categories`}</option>
          {categories.map((category) => (
            <option key={category}>{category}</option>
          ))}
        </select>
        <select value={filters.source} aria-label={t`From`} className={select} onChange={(event) => onChange({ ...filters, source: event.target.value as Source })}>
          <option value="">{t`${name} and Parley`}</option>
          <option value="organization">{name}</option>
          <option value="mine">{t({ message: 'Mine', context: 'templates' })}</option>
          <option value="parley">Parley</option>
        </select>
      </div>
    </div>
  )
}

/** More to load, nothing found, or why nothing could be read. */
function End({ list, filters, onReset }: { list: TemplateList; filters: TemplateFilters; onReset(): void }) {
  if (list.error)
    return (
      <div role="alert" className="alert-bad mt-3">
        <p className="min-w-0 flex-1">{list.error}</p>
        <button type="button" className="btn" onClick={list.loadMore}>
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  if (list.cursor === undefined)
    return (
      <div role="status" aria-label={t`Loading templates`} className="grid grid-cols-[repeat(auto-fill,minmax(13.5rem,1fr))] gap-3 max-sm:grid-cols-2 max-sm:gap-2">
        {[1, 2, 3, 4, 5, 6].map((number) => (
          <div key={number} className="skeleton h-46 rounded-[14px]" />
        ))}
      </div>
    )
  if (list.cursor)
    return (
      <div className="pt-4 text-center">
        <button type="button" className="btn" onClick={list.loadMore}>
          <Trans>Show more</Trans>
        </button>
      </div>
    )
  return list.items.length === 0 ? <NothingFound filters={filters} onReset={onReset} /> : null
}

function NothingFound({ filters, onReset }: { filters: TemplateFilters; onReset(): void }) {
  return (
    <div role="status" className="flex flex-col items-center gap-2 py-16 text-center text-[14px] text-fg2">
      <LayoutTemplate className="size-8 text-fg3" aria-hidden />
      <p className="font-medium text-fg">{filters.q ? t`Nothing found for “${filters.q}”` : t`No templates here yet`}</p>
      <p className="max-w-96">
        <Trans>Save a document as a template from the menu of its panel, and submit it so that others can use it.</Trans>
      </p>
      <button type="button" className="btn mt-1" onClick={onReset}>
        <Trans>Show all templates</Trans>
      </button>
    </div>
  )
}
