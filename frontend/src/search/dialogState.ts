import { createOpenState } from '../ui/openState'

export const { isOpen: searchOpen, open: openSearch, close: closeSearch, focusOpener } = createOpenState()
