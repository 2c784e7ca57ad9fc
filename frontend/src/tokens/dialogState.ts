import { createStore } from '../ui/store'

/** Whether the dialog with the user's API tokens is open. It is the page's, not the menu's: a token that is shown once survives a turned phone. */
export const tokensDialogOpen = createStore(false)

let opener: HTMLElement | null = null

/** `from`: gets the focus back. A menu's item is gone by then, so it names the menu's button. */
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
