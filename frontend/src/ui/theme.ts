import { readStored, writeStored } from '../browser/storage'
import { noteSaved } from './savedNote'
import { useStore, createStore } from './store'

export type ThemeChoice = 'light' | 'dark' | 'system'

const asChoice = (text: string | null): ThemeChoice => (text === 'light' || text === 'dark' ? text : 'system')
const choice = createStore<ThemeChoice>('system')
const darkSystem = () => matchMedia('(prefers-color-scheme: dark)')

function paint(): void {
  const theme = choice.get()
  document.documentElement.dataset.theme = theme === 'system' ? (darkSystem().matches ? 'dark' : 'light') : theme
}

/** Applies the stored theme, or follows the system's. The first script of the page already did so before the first paint. */
export function startTheme(): void {
  choice.set(asChoice(readStored('theme')))
  darkSystem().addEventListener('change', paint)
  paint()
}

/** Shows a theme that the page around this one chose; nothing is stored. */
export function showTheme(next: ThemeChoice): void {
  choice.set(next)
  paint()
}

export function chooseTheme(next: ThemeChoice): void {
  showTheme(next)
  writeStored('theme', next === 'system' ? null : next)
  noteSaved()
}

/** Whether the page is dark now. */
export const isDark = (): boolean => document.documentElement.dataset.theme === 'dark'

export const useThemeChoice = (): ThemeChoice => useStore(choice)
