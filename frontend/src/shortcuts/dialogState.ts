import { createOpenState } from '../ui/openState'

export const { isOpen: shortcutsOpen, open: openShortcuts, close: closeShortcuts, focusOpener } = createOpenState()
