import type { ProjectItem } from '../api/generated'
import { createStore } from '../ui/store'

/** Which dialog about projects is open. `moving`: the conversations that the new project is made for. */
export type ProjectDialog = { readonly kind: 'new'; readonly moving?: (project: ProjectItem) => void } | { readonly kind: 'edit' | 'delete'; readonly project: ProjectItem }

export const projectDialog = createStore<ProjectDialog | null>(null)

let opener: HTMLElement | null = null

/** The element that has the focus now gets it back. */
export function openProjectDialog(dialog: ProjectDialog, from?: HTMLElement | null): void {
  opener = from ?? (document.activeElement instanceof HTMLElement ? document.activeElement : null)
  projectDialog.set(dialog)
}

export function closeProjectDialog(): void {
  projectDialog.set(null)
  const to = opener
  setTimeout(() => to?.isConnected && to.focus())
}
