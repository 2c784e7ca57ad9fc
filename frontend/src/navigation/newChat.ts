import { mediaMatches, WIDE } from '../browser/useMedia'
import { goHome } from './router'
import { focusMessageBox } from './shortcuts'

/** Leads to a new chat, also where the page is there already, and into its message box. On a phone the keyboard would cover half of it. */
export function startNewChat(): void {
  goHome()
  if (mediaMatches(WIDE)) setTimeout(focusMessageBox)
}
