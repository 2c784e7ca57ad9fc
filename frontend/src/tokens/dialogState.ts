import { createStore } from '../ui/store'

/** Whether the dialog with the user's API tokens is open. The state is outside the menu, so that a token that is shown once survives the rotation of a phone. */
export const tokensDialogOpen = createStore(false)

let opener: HTMLElement | null = null

/** `from` gets the focus back. For an item of a menu that is the menu's button, because the item is gone by then. */
export function openTokensDialog(from: HTMLElement | null): void {
  opener = from
  tokensDialogOpen.set(true)
}

/** For the dialog's `onCloseAutoFocus`. */
export function focusOpener(event: Event): void {
  if (!opener?.isConnected) return
  event.preventDefault()
  opener.focus()
}
