// "Saved", for two seconds after a choice that is kept at once.
import { createStore, useStore } from './store'

const SHOWN_MS = 2000
const isShown = createStore(false)
let timer: ReturnType<typeof setTimeout> | undefined

/** Something was chosen and is kept. */
export function noteSaved(): void {
  clearTimeout(timer)
  isShown.set(true)
  timer = setTimeout(() => isShown.set(false), SHOWN_MS)
}

export const useSavedNote = (): boolean => useStore(isShown)
