// The organization at the foot of the sidebar: the switcher, with marks for unread answers elsewhere.
import { Suspense, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Check, ChevronsUpDown, LogOut, Plus, Settings } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot } from '../api/boot'
import { homePath } from '../navigation/routes'
import { organizationsApi } from '../organizations/organizationsApi'
import { Avatar } from '../ui/Avatar'
import { lazyWithRetry } from '../ui/lazyComponent'

const dialogs = () => import('../organizations/OrganizationDialogs')
const NewOrganizationDialog = lazyWithRetry(() => dialogs().then(({ NewOrganizationDialog: one }) => ({ default: one })))
const LeaveDialog = lazyWithRetry(() => dialogs().then(({ LeaveDialog: one }) => ({ default: one })))

type OpenDialog = 'new' | 'leave' | null

/** Asks when the menu opens, and shows what was known before until then. */
function useUnread() {
  const [slugs, setSlugs] = useState<readonly string[]>([])
  const load = () => {
    if (boot.organizations.length > 1) organizationsApi.unread().then((unread) => setSlugs(unread.slugs), () => undefined)
  }
  return { slugs, load }
}

export function OrganizationMenu() {
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const unread = useUnread()
  return (
    <>
      <DropdownMenu.Root modal={false} onOpenChange={(open) => open && unread.load()}>
        <DropdownMenu.Trigger className="side-row w-full">
          <Avatar name={boot.organization.name} url={boot.organization.logoUrl} shape="square" />
          <span className="truncate font-medium text-fg">{boot.organization.name}</span>
          <span className="sr-only"><Trans>, organizations</Trans></span>
          <ChevronsUpDown className="ms-auto size-3.5 shrink-0" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise w-60" align="start" side="top" sideOffset={6}>
            <DropdownMenu.Label className="px-2.5 py-1.5 text-[11.5px] font-semibold text-fg3"><Trans>Organizations</Trans></DropdownMenu.Label>
            {boot.organizations.map((organization) => (
              <Entry key={organization.slug} organization={organization} isUnread={unread.slugs.includes(organization.slug)} />
            ))}
            {boot.mayMakeOrganizations && (
              <DropdownMenu.Item className="menu-item" onSelect={() => setDialog('new')}>
                <Plus className="size-4 text-fg3" aria-hidden />
                <Trans>New organization</Trans>
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            {boot.adminUrl && (
              <DropdownMenu.Item className="menu-item" asChild>
                <a href={boot.adminUrl}>
                  <Settings className="size-4 text-fg3" aria-hidden />
                  <Trans>Admin</Trans>
                </a>
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className="menu-item" onSelect={() => setDialog('leave')}>
              <LogOut className="size-4 text-fg3" aria-hidden />
              <span className="truncate"><Trans>Leave {boot.organization.name}</Trans></span>
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense fallback={null}>
        {dialog === 'new' && <NewOrganizationDialog onClose={() => setDialog(null)} />}
        {dialog === 'leave' && <LeaveDialog onClose={() => setDialog(null)} />}
      </Suspense>
    </>
  )
}

function Entry({ organization, isUnread }: { organization: (typeof boot.organizations)[number]; isUnread: boolean }) {
  const isCurrent = organization.slug === boot.organization.slug
  return (
    <DropdownMenu.Item className="menu-item" asChild>
      <a href={homePath(organization.slug)}>
        <Avatar name={organization.name} url={organization.logoUrl} shape="square" />
        <span className="truncate">{organization.name}</span>
        {isCurrent && <Check className="ms-auto size-4 shrink-0 text-accent" aria-label={t`Current`} />}
        {isUnread && !isCurrent && <span className="ms-auto size-2 shrink-0 rounded-full bg-accent" role="img" aria-label={t`Unread answers`} />}
      </a>
    </DropdownMenu.Item>
  )
}
