import { Calendar, ChevronDown, FileText } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { PERIODS, type SearchFilters } from './filters'

type Props = { filters: SearchFilters; onChange(filters: SearchFilters): void }

const CHIP = 'inline-flex h-7 items-center gap-1.5 rounded-full border px-3 text-[12.5px] font-medium transition-colors pointer-coarse:h-9'
const chip = (isOn: boolean) => `${CHIP} ${isOn ? 'border-transparent bg-soft text-accent' : 'border-line2 text-fg2 hover:bg-hover'}`

/** What the search is limited to. */
export function FilterBar({ filters, onChange }: Props) {
  return (
    <div role="group" aria-label="Filters" className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-3 py-2.5">
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className={chip(filters.days !== null)}>
          <Calendar className="size-3.5" aria-hidden />
          {PERIODS.find(({ days }) => days === filters.days)?.label}
          <ChevronDown className="size-3.5" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise min-w-40" align="start" sideOffset={4}>
            {PERIODS.map(({ days, label }) => (
              <DropdownMenu.Item key={label} className="menu-item" onSelect={() => onChange({ ...filters, days })}>
                {label}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <button type="button" aria-pressed={filters.hasArtifact} className={chip(filters.hasArtifact)} onClick={() => onChange({ ...filters, hasArtifact: !filters.hasArtifact })}>
        <FileText className="size-3.5" aria-hidden />
        Has a document
      </button>
    </div>
  )
}
