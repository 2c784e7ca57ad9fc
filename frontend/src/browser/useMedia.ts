import { useSyncExternalStore } from 'react'

/** Below this width the panel is a sheet, and it never opens without the user. */
export const DESKTOP = '(min-width: 1024px)'
/** Below this width the sidebar is a drawer. */
export const WIDE = '(min-width: 900px)'

export const mediaMatches = (query: string): boolean => matchMedia(query).matches

export function useMedia(query: string): boolean {
  const subscribe = (listener: () => void) => {
    const list = matchMedia(query)
    list.addEventListener('change', listener)
    return () => list.removeEventListener('change', listener)
  }
  return useSyncExternalStore(subscribe, () => mediaMatches(query))
}
