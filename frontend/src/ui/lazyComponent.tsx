import { lazy, useEffect, type ComponentType, type ReactNode } from 'react'
import { t } from '@lingui/core/macro'
import { backoffMs } from '../api/backoff'
import { createStore, useStore } from './store'
import { showToast } from './toasts'

const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [500, 15_000]

const showFailure = () => showToast(t`A part of this page could not be loaded. Trying again… If this keeps happening, reload the page.`)

async function fetchWithRetry<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await load()
    } catch {
      if (attempt === 0) showFailure()
      await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt, FIRST_PAUSE_MS, MAX_PAUSE_MS)))
    }
  }
}

/** React's `lazy`, whose fallback stays until the code is here. Where `lazy` itself fails, the whole page goes blank. */
export const lazyWithRetry: typeof lazy = (load) => lazy(() => fetchWithRetry(load))

/**
 * A component whose code comes after the page. `fetch` gets it ahead; from then on it is drawn at once like any other,
 * where React's own `lazy` would show its fallback for a moment. While it is shown it is fetched again until it comes.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>, waiting: ReactNode = null) {
  const store = createStore<{ Component?: ComponentType<Props> }>({})
  const fetch = async () => {
    if (!store.get().Component) store.set({ Component: await load() })
  }
  function LazyComponent(props: Props) {
    const { Component } = useStore(store)
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const tryToFetch = (attempt: number) => void fetch().catch(() => tryAgain(attempt))
      const tryAgain = (attempt: number) => {
        if (attempt === 0) showFailure()
        timer = setTimeout(tryToFetch, backoffMs(attempt, FIRST_PAUSE_MS, MAX_PAUSE_MS), attempt + 1)
      }
      tryToFetch(0)
      return () => clearTimeout(timer)
    }, [])
    return Component ? <Component {...props} /> : waiting
  }
  return Object.assign(LazyComponent, { fetch: () => void fetch().catch(() => undefined) })
}
