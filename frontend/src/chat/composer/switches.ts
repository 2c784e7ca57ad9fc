import { t } from '@lingui/core/macro'
import { boot } from '../../api/boot'
import type { ChatSwitch } from '../../api/generated'
import { readStored, writeStored } from '../../browser/storage'
import { createStore, useStore } from '../../ui/store'

type SwitchChoices = Readonly<Record<string, boolean>>
export type SwitchState = ChatSwitch & { readonly isOnNow: boolean }

const KEY = `switches:${boot.organization.slug}`
const choices = createStore<SwitchChoices>(readChosen(readStored(KEY)))

/** What was stored; nothing for anything but an object of booleans. */
export function readChosen(json: string | null): SwitchChoices {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'))
  } catch {
    return {}
  }
}

/** The switches with their state; ours is named in the language of the page. What a member chose holds for this browser until it is chosen otherwise. */
export function useSwitches(): readonly SwitchState[] {
  const now = useStore(choices)
  return boot.switches.map((one) => ({ ...one, label: one.isPlatforms ? t`Search the web` : one.label, isOnNow: now[one.key] ?? one.isOn }))
}

export function flip(one: SwitchState): void {
  const next = { ...choices.get(), [one.key]: !one.isOnNow }
  writeStored(KEY, JSON.stringify(next))
  choices.set(next)
}

/** What the server has to know: the switches that differ from how they are at first. */
export const switchesToSend = (switches: readonly SwitchState[]): SwitchChoices => Object.fromEntries(switches.filter((one) => one.isOnNow !== one.isOn).map((one) => [one.key, one.isOnNow]))
