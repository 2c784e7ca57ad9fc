import { createOpenState } from '../ui/openState'

const dialog = createOpenState()
let project: string | null = null

export const { isOpen: searchOpen, close: closeSearch, focusOpener } = dialog

/** `from` gets the focus back. With `projectId` the dialog begins in that project. */
export function openSearch(from?: HTMLElement | null, projectId: string | null = null): void {
  project = projectId
  dialog.open(from)
}

/** The project in which the dialog begins; null: everywhere. */
export const firstProject = (): string | null => project
