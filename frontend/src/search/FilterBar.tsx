import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Archive, Bot, Calendar, ChevronDown, FileText, Folder, X, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { SearchAgent } from '../api/generated'
import { useProjects } from '../projects/store'
import { PERIODS, type SearchFilters } from './filters'
import { searchApi } from './searchApi'

type Props = { filters: SearchFilters; onChange(filters: SearchFilters): void }

const CHIP = 'inline-flex h-7 max-w-52 shrink-0 items-center gap-1.5 rounded-full border px-3 text-[12.5px] font-medium transition-colors pointer-coarse:h-11'
const chip = (isOn: boolean) => `${CHIP} ${isOn ? 'border-transparent bg-soft text-accent' : 'border-line2 text-fg2 hover:bg-hover'}`

/** The agents that may have worked in a conversation. None while the server was not reached: then there is no such filter. */
function useAgents(): readonly SearchAgent[] {
  const [agents, setAgents] = useState<readonly SearchAgent[]>([])
  useEffect(() => void searchApi.agents().then(({ items }) => setAgents(items), () => undefined), [])
  return agents
}

/** What the search is limited to. */
export function FilterBar({ filters, onChange }: Props) {
  const agents = useAgents().map(({ name, label }) => ({ value: name, label }))
  const projects = (useProjects() ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <div role="group" aria-label={t`Filters`} className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-3 py-2.5 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:[scrollbar-width:none]">
      <ChipMenu icon={Calendar} value={filters.days} options={PERIODS.map(({ days, label }) => ({ value: days, label: t(label) }))} onChoose={(days) => onChange({ ...filters, days })} />
      {agents.length > 0 && <ChipMenu icon={Bot} value={filters.agent} options={[{ value: null, label: t`Any assistant` }, ...agents]} onChoose={(agent) => onChange({ ...filters, agent })} />}
      {projects.length > 0 && <ChipMenu icon={Folder} value={filters.projectId} options={[{ value: null, label: t`Any project` }, ...projects]} onChoose={(projectId) => onChange({ ...filters, projectId })} />}
      <button type="button" aria-pressed={filters.hasArtifact} className={chip(filters.hasArtifact)} onClick={() => onChange({ ...filters, hasArtifact: !filters.hasArtifact })}>
        <FileText className="size-3.5" aria-hidden />
        <Trans>Has a document</Trans>
      </button>
      <button type="button" aria-pressed={filters.withArchived} className={chip(filters.withArchived)} onClick={() => onChange({ ...filters, withArchived: !filters.withArchived })}>
        <Archive className="size-3.5" aria-hidden />
        <Trans>Archived too</Trans>
      </button>
    </div>
  )
}

type Option<T> = { readonly value: T | null; readonly label: string }

/** Back to where the user types: the button that had the focus is gone. */
export const focusInput = (button: HTMLElement): void => button.closest('[role=dialog]')?.querySelector('input')?.focus()

/** A filter with several values; null is none. */
function ChipMenu<T extends string | number>({ icon: Icon, value, options, onChoose }: { icon: LucideIcon; value: T | null; options: readonly Option<T>[]; onChoose(value: T | null): void }) {
  const isOn = value !== null
  const none = options.find((option) => option.value === null)?.label
  const clear = (event: React.MouseEvent<HTMLElement>) => {
    focusInput(event.currentTarget)
    onChoose(null)
  }
  return (
    <DropdownMenu.Root modal={false}>
      <span className={`${chip(isOn)} gap-0 ps-0 ${isOn ? 'pe-0.5' : 'pe-0'}`}>
        <DropdownMenu.Trigger className={`-my-px inline-flex h-[calc(100%+2px)] min-w-0 items-center gap-1.5 rounded-full ps-3 ${isOn ? 'pe-1' : 'pe-3'}`}>
          <Icon className="size-3.5 shrink-0" aria-hidden />
          <span className="truncate">{options.find((option) => option.value === value)?.label}</span>
          {!isOn && <ChevronDown className="size-3.5 shrink-0" aria-hidden />}
        </DropdownMenu.Trigger>
        {isOn && (
          <button type="button" className="grid size-6 shrink-0 place-items-center rounded-full hover:bg-hover pointer-coarse:size-10" aria-label={none} title={none} onClick={clear}>
            <X className="size-3.5" aria-hidden />
          </button>
        )}
      </span>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise max-h-80 min-w-40 overflow-y-auto" align="start" sideOffset={4}>
          {options.map((option) => (
            <DropdownMenu.Item key={option.label + option.value} className="menu-item" onSelect={() => onChoose(option.value)}>
              <span className="truncate">{option.label}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
