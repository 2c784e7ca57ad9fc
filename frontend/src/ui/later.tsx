import { useEffect, type ComponentType, type ReactNode } from 'react'
import { backoffMs } from '../api/backoff'
import { createStore, useStore } from './store'

/**
 * A component whose code comes after the page. `fetch` gets it ahead; from then on it is drawn at once like any other,
 * where React's own `lazy` would show its fallback for a moment. While it is shown it is fetched again until it comes.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>, waiting: ReactNode = null) {
  const store = createStore<{ Component?: ComponentType<Props> }>({})
  const fetch = async () => {
    if (!store.get().Component) store.set({ Component: await load() })
  }
  function Later(props: Props) {
    const { Component } = useStore(store)
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const tryToFetch = (attempt: number) => void fetch().catch(() => (timer = setTimeout(tryToFetch, backoffMs(attempt, 500, 15_000), attempt + 1)))
      tryToFetch(0)
      return () => clearTimeout(timer)
    }, [])
    return Component ? <Component {...props} /> : waiting
  }
  return Object.assign(Later, { fetch: () => void fetch().catch(() => undefined) })
}
