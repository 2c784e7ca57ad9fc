// Small pieces of interface that any folder may use: stores, toasts, the theme, a copy button.
import { useSyncExternalStore } from 'react'

export type Store<T> = {
  get(): T
  set(next: T): void
  patch(part: Partial<T>): void
  subscribe(listener: () => void): () => void
}

/** A value outside React that components can subscribe to. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const set = (next: T) => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => value,
    set,
    patch: (part) => set({ ...value, ...part }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
