import { createStore } from '../ui/store'

/** Whether the dialog with the user's keys is open. The user menu opens it, and so do answers that failed because a key is missing. */
export const keysDialogOpen = createStore(false)

let opener: HTMLElement | null = null

/** `from` gets the focus back. For an item of a menu that is the menu's button, because the item is gone by then. */
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
