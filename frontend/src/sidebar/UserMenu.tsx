import { useRef, useState } from 'react'
import { ChartColumn, ChevronsUpDown, Code2, KeyRound, LogOut, Monitor, Moon, ShieldCheck, SlidersHorizontal, Sun, UserRound } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot, canWrite } from '../api/boot'
import { forgetDrafts } from '../browser/drafts'
import { openKeysDialog } from '../keys/dialogState'
import { goToUsage } from '../navigation/router'
import { PreferencesDialog } from '../preferences/PreferencesDialog'
import { ProfileDialog } from '../profile/ProfileDialog'
import { openTokensDialog } from '../tokens/dialogState'
import { Avatar } from '../ui/Avatar'
import { chooseTheme, useThemeChoice, type ThemeChoice } from '../ui/theme'

const THEMES = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
] as const

export function UserMenu() {
  const form = useRef<HTMLFormElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const [preferences, setPreferences] = useState(false)
  const [profile, setProfile] = useState(false)
  const signOut = () => {
    forgetDrafts()
    form.current?.submit()
  }
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger ref={trigger} className="side-row w-full">
          <Avatar name={boot.user.name} url={boot.user.pictureUrl} shape="round" />
          <span className="truncate font-medium text-fg">{boot.user.name}</span>
          <span className="sr-only">, profile, preferences, keys, API tokens, theme and sign out</span>
          <ChevronsUpDown className="ml-auto size-3.5 shrink-0" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise w-60" align="start" side="top" sideOffset={6}>
            <DropdownMenu.Label className="truncate px-2.5 py-1.5 text-[12.5px] text-fg3">{boot.user.email}</DropdownMenu.Label>
            <DropdownMenu.Item className="menu-item" onSelect={() => setProfile(true)}>
              <UserRound className="size-4 text-fg3" aria-hidden />
              Profile
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => setPreferences(true)}>
              <SlidersHorizontal className="size-4 text-fg3" aria-hidden />
              Your preferences
            </DropdownMenu.Item>
            {canWrite && (
              <DropdownMenu.Item className="menu-item" onSelect={() => openKeysDialog(trigger.current)}>
                <KeyRound className="size-4 text-fg3" aria-hidden />
                Your keys
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className="menu-item" onSelect={() => openTokensDialog(trigger.current)}>
              <Code2 className="size-4 text-fg3" aria-hidden />
              API tokens
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={goToUsage}>
              <ChartColumn className="size-4 text-fg3" aria-hidden />
              My usage
            </DropdownMenu.Item>
            <DropdownMenu.Item asChild className="menu-item">
              <a href="/accounts/">
                <ShieldCheck className="size-4 text-fg3" aria-hidden />
                Sign-in and devices
              </a>
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <ThemeChoices />
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item className="menu-item" onSelect={signOut}>
              <LogOut className="size-4 text-fg3" aria-hidden />
              Sign out
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {profile && <ProfileDialog onClose={() => setProfile(false)} />}
      {preferences && <PreferencesDialog onClose={() => setPreferences(false)} />}
      <form ref={form} method="post" action={boot.logoutUrl} hidden>
        <input type="hidden" name="csrfmiddlewaretoken" value={boot.csrfToken} />
      </form>
    </>
  )
}

function ThemeChoices() {
  const choice = useThemeChoice()
  return (
    <DropdownMenu.RadioGroup value={choice} onValueChange={(value) => chooseTheme(value as ThemeChoice)} aria-label="Theme">
      {THEMES.map(({ value, label, icon: Icon }) => (
        <DropdownMenu.RadioItem key={value} value={value} className="menu-item data-[state=checked]:text-accent">
          <Icon className="size-4" aria-hidden />
          {label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
