// The dialog that exports a conversation.
import { createStore } from '../ui/store'

export type ExportTarget = { readonly id: string; readonly title: string }

export const exported = createStore<ExportTarget | null>(null)
let opener: HTMLElement | null = null

/** `from`: the element that gets the focus back. */
export function openExportDialog(conversation: ExportTarget, from: HTMLElement | null): void {
  opener = from
  exported.set(conversation)
}

export function closeExportDialog(): void {
  exported.set(null)
  const to = opener
  setTimeout(() => to?.isConnected && to.focus())
}
