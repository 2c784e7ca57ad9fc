import { createStore, useStore } from '../../ui/store'
import { readStored, writeStored } from '../../browser/storage'

export const NARROWEST = 30
export const WIDEST = 72
const USUAL = 52
const KEY = 'panel-width'

const within = (percent: number): number => Math.min(WIDEST, Math.max(NARROWEST, Math.round(percent)))
const width = createStore(within(Number(readStored(KEY)) || USUAL))

/** How much of the page beside the sidebar the panel takes, in percent; kept for the next time. */
export function usePanelWidth(): [number, (percent: number) => void] {
  const set = (percent: number) => {
    width.set(within(percent))
    writeStored(KEY, String(width.get()))
  }
  return [useStore(width), set]
}
