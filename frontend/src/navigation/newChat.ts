import { goHome } from './router'
import { returnToMessageBox } from './shortcuts'

/** Leads to a new chat, also where the page is there already, and into its message box. */
export function startNewChat(): void {
  goHome()
  setTimeout(returnToMessageBox)
}
