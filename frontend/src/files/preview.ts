import { createStore } from '../ui/store'

export type PreviewFile = { readonly id: string; readonly name: string }

/** The file that is shown in full. */
export const previewed = createStore<PreviewFile | null>(null)

let opener: HTMLElement | null = null

/** `from` gets the focus back. */
export function showPreview(file: PreviewFile, from: HTMLElement): void {
  opener = from
  previewed.set(file)
}

/** For the dialog's `onCloseAutoFocus`. */
export function focusOpener(event: Event): void {
  event.preventDefault()
  if (opener?.isConnected) opener.focus()
}
