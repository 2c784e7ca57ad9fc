import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Bot, Calendar, ChevronDown, FileText, Folder, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { SearchAgent } from '../api/generated'
import { useProjects } from '../projects/store'
import { PERIODS, type SearchFilters } from './filters'
import { searchApi } from './searchApi'

type Props = { filters: SearchFilters; onChange(filters: SearchFilters): void }

const CHIP = 'inline-flex h-7 max-w-52 items-center gap-1.5 rounded-full border px-3 text-[12.5px] font-medium transition-colors pointer-coarse:h-9'
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
    <div role="group" aria-label={t`Filters`} className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-3 py-2.5">
      <ChipMenu icon={Calendar} value={filters.days} options={PERIODS.map(({ days, label }) => ({ value: days, label: t(label) }))} onChoose={(days) => onChange({ ...filters, days })} />
      {agents.length > 0 && <ChipMenu icon={Bot} value={filters.agent} options={[{ value: null, label: t`Any assistant` }, ...agents]} onChoose={(agent) => onChange({ ...filters, agent })} />}
      {projects.length > 0 && <ChipMenu icon={Folder} value={filters.projectId} options={[{ value: null, label: t`Any project` }, ...projects]} onChoose={(projectId) => onChange({ ...filters, projectId })} />}
      <button type="button" aria-pressed={filters.hasArtifact} className={chip(filters.hasArtifact)} onClick={() => onChange({ ...filters, hasArtifact: !filters.hasArtifact })}>
        <FileText className="size-3.5" aria-hidden />
        <Trans>Has a document</Trans>
      </button>
    </div>
  )
}

type Option<T> = { readonly value: T | null; readonly label: string }

/** A filter with several values; null is none. */
function ChipMenu<T extends string | number>({ icon: Icon, value, options, onChoose }: { icon: LucideIcon; value: T | null; options: readonly Option<T>[]; onChoose(value: T | null): void }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={chip(value !== null)}>
        <Icon className="size-3.5 shrink-0" aria-hidden />
        <span className="truncate">{options.find((option) => option.value === value)?.label}</span>
        <ChevronDown className="size-3.5 shrink-0" aria-hidden />
      </DropdownMenu.Trigger>
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
