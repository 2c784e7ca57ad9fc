import { Check, ChevronsUpDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot } from '../api/boot'
import { homePath } from '../navigation/routes'

export function OrganizationName() {
  if (boot.organizations.length < 2) return <Name />
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="-ml-1 flex min-h-9 min-w-0 items-center gap-1 rounded-lg px-1 hover:bg-hover">
        <Name />
        <span className="sr-only">, switch organization</span>
        <ChevronsUpDown className="size-3.5 shrink-0 text-fg3" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise" align="start" sideOffset={4}>
          <DropdownMenu.Label className="px-2.5 py-1.5 text-[11.5px] font-semibold text-fg3">Organizations</DropdownMenu.Label>
          {boot.organizations.map((organization) => (
            <DropdownMenu.Item key={organization.slug} className="menu-item" asChild>
              <a href={homePath(organization.slug)}>
                <Badge name={organization.name} />
                <span className="truncate">{organization.name}</span>
                {organization.slug === boot.organization.slug && <Check className="ml-auto size-4 text-accent" aria-label="Current" />}
              </a>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Name() {
  return (
    <span className="flex min-w-0 items-center gap-2 text-[15px] font-semibold tracking-tight">
      <Badge name={boot.organization.name} />
      <span className="truncate">{boot.organization.name}</span>
    </span>
  )
}

function Badge({ name }: { name: string }) {
  return (
    <span className="grid size-6 shrink-0 place-items-center rounded-md bg-accent text-[13px] font-semibold text-accent-fg" aria-hidden>
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
