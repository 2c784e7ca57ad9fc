import { useRef } from 'react'
import { Trans } from '@lingui/react/macro'
import { ChartColumn, ChevronsUpDown, Keyboard, LogOut, Settings, Wrench } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot } from '../api/boot'
import { saveUnsavedEdits } from '../artifacts/unsavedEdits'
import { forgetDrafts } from '../browser/drafts'
import { goToUsage } from '../navigation/router'
import { openSettings } from '../settings/address'
import { openShortcuts } from '../shortcuts/dialogState'
import { Avatar } from '../ui/Avatar'

export function UserMenu() {
  const form = useRef<HTMLFormElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const signOut = async () => {
    await saveUnsavedEdits()
    forgetDrafts()
    form.current?.submit()
  }
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger ref={trigger} className="side-row w-full">
          <Avatar name={boot.user.name} url={boot.user.pictureUrl} shape="round" />
          <span className="truncate font-medium text-fg">{boot.user.name}</span>
          <span className="sr-only"><Trans>, settings and sign out</Trans></span>
          <ChevronsUpDown className="ms-auto size-3.5 shrink-0" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise w-60" align="start" side="top" sideOffset={6}>
            <DropdownMenu.Label className="truncate px-2.5 py-1.5 text-[12.5px] text-fg3">{boot.user.email}</DropdownMenu.Label>
            <DropdownMenu.Item className="menu-item" onSelect={() => openSettings('list', trigger.current)}>
              <Settings className="size-4 text-fg3" aria-hidden />
              <Trans>Settings</Trans>
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={goToUsage}>
              <ChartColumn className="size-4 text-fg3" aria-hidden />
              <Trans>My usage</Trans>
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item pointer-coarse:hidden" onSelect={() => openShortcuts(trigger.current)}>
              <Keyboard className="size-4 text-fg3" aria-hidden />
              <Trans>Keyboard shortcuts</Trans>
            </DropdownMenu.Item>
            {boot.adminUrl && (
              <DropdownMenu.Item asChild className="menu-item">
                <a href={boot.adminUrl}>
                  <Wrench className="size-4 text-fg3" aria-hidden />
                  <Trans>Admin</Trans>
                </a>
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item className="menu-item" onSelect={() => void signOut()}>
              <LogOut className="size-4 text-fg3" aria-hidden />
              <Trans>Sign out</Trans>
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <form ref={form} method="post" action={boot.logoutUrl} hidden>
        <input type="hidden" name="csrfmiddlewaretoken" value={boot.csrfToken} />
      </form>
    </>
  )
}
