// Where the settings are open. The place is in the address, so that it can be linked to, and Back closes the dialog.
import { createStore } from '../ui/store'
import { placeOf, settingsHash, type Place, type SectionName } from './sections'

/** Null: the settings are closed. `list`: no section is chosen yet, which only a narrow screen shows. */
export const settingsPlace = createStore<Place | null>(placeOf(location.hash))

/** How many entries of the history the dialog has added. */
type SettingsHistoryState = { readonly settings?: number } | null

let opener: HTMLElement | null = null

const read = () => settingsPlace.set(placeOf(location.hash))
const depth = (): number => (history.state as SettingsHistoryState)?.settings ?? 0
addEventListener('popstate', read)

/** `from` gets the focus back. For an item of a menu that is the menu's button, because the item is gone by then. */
export function openSettings(place: Place, from: HTMLElement | null): void {
  opener = from
  history.pushState({ settings: depth() + 1 } satisfies SettingsHistoryState, '', settingsHash(place))
  read()
}

/** `isStep`: Back leads to the list, as on a narrow screen. */
export function showSection(name: SectionName, isStep: boolean): void {
  if (isStep) history.pushState({ settings: depth() + 1 } satisfies SettingsHistoryState, '', settingsHash(name))
  else history.replaceState(history.state, '', settingsHash(name))
  read()
}

export function showList(): void {
  if (depth() > 1) return history.back() // the list is the entry before
  history.replaceState(history.state, '', settingsHash('list'))
  read()
}

export function closeSettings(): void {
  const added = depth()
  settingsPlace.set(null)
  if (added) history.go(-added)
  else history.replaceState(history.state, '', location.pathname + location.search) // the page was opened at them
}

/** The page leads elsewhere: the address is its own by now. */
export const leaveSettings = (): void => settingsPlace.set(null)

/** For the dialog's `onCloseAutoFocus`. */
export function focusOpener(event: Event): void {
  if (!opener?.isConnected) return
  event.preventDefault()
  opener.focus()
}
