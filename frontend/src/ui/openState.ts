import { createStore } from './store'

/** Whether a dialog is open, and what gets the focus back when it closes. */
export function createOpenState() {
  const isOpen = createStore(false)
  let opener: HTMLElement | null = null
  return {
    isOpen,
    /** `from` gets the focus back; without it, what has the focus now. */
    open(from?: HTMLElement | null): void {
      if (isOpen.get()) return
      opener = from ?? (document.activeElement instanceof HTMLElement ? document.activeElement : null)
      isOpen.set(true)
    },
    close: (): void => isOpen.set(false),
    /** For the dialog's `onCloseAutoFocus`. */
    focusOpener(event: Event): void {
      event.preventDefault()
      if (opener?.isConnected) opener.focus()
    },
  }
}
