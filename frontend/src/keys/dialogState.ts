import { createStore } from '../ui/store'

/** Whether the dialog with the user's keys is open; it is opened from the menu and from answers that failed for want of a key. */
export const keysDialogOpen = createStore(false)

let opener: HTMLElement | null = null

/** `from`: gets the focus back. A menu's item is gone by then, so it names the menu's button. */
export function openKeysDialog(from: HTMLElement | null): void {
  opener = from
  keysDialogOpen.set(true)
}

/** For the dialog's `onCloseAutoFocus`. */
export function focusOpener(event: Event): void {
  if (!opener?.isConnected) return
  event.preventDefault()
  opener.focus()
}
