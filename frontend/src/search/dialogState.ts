import { createStore } from '../ui/store'

/** Whether the search dialog is open. */
export const searchOpen = createStore(false)

let opener: HTMLElement | null = null

/** `from` gets the focus back when nothing was chosen; without it, what has the focus now. */
export function openSearch(from?: HTMLElement): void {
  if (searchOpen.get()) return
  opener = from ?? (document.activeElement instanceof HTMLElement ? document.activeElement : null)
  searchOpen.set(true)
}

export const closeSearch = (): void => searchOpen.set(false)

/** For the dialog's `onCloseAutoFocus`. */
export function focusOpener(event: Event): void {
  event.preventDefault()
  if (opener?.isConnected) opener.focus()
}
