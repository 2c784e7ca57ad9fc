import { readStored, writeStored } from '../../browser/storage'
import { createStore, useStore } from '../../ui/store'

export const MIN_WIDTH = 30
export const MAX_WIDTH = 72
const DEFAULT_WIDTH = 52
const KEY = 'panel-width'

const within = (percent: number): number => Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(percent)))
const width = createStore(within(Number(readStored(KEY)) || DEFAULT_WIDTH))

/** The panel's share of the page beside the sidebar, in percent. It is stored for the next visit. */
export function usePanelWidth(): [number, (percent: number) => void] {
  const set = (percent: number) => {
    width.set(within(percent))
    writeStored(KEY, String(width.get()))
  }
  return [useStore(width), set]
}
