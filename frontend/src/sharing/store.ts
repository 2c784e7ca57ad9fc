// The member's shared links, and the dialog in which they are made.
import type { ShareItem } from '../api/generated'
import { createStore, useStore } from '../ui/store'
import { sharingApi, type SharedKind } from './sharingApi'

/** What the dialog shares. */
export type SharedThing = { readonly of: SharedKind; readonly id: string; readonly title: string }

export const sharedThing = createStore<SharedThing | null>(null)
/** Newest first; undefined while nothing is known. */
const shares = createStore<readonly ShareItem[] | undefined>(undefined)
let opener: HTMLElement | null = null

/** `from`: the element that gets the focus back; by default the one that has it now. */
export function openShareDialog(thing: SharedThing, from?: HTMLElement | null): void {
  opener = from ?? (document.activeElement instanceof HTMLElement ? document.activeElement : null)
  sharedThing.set(thing)
}

export function closeShareDialog(): void {
  sharedThing.set(null)
  const to = opener
  setTimeout(() => to?.isConnected && to.focus())
}

/** Reads the links again. Rejects with an ApiError. */
export async function loadShares(): Promise<void> {
  shares.set((await sharingApi.list()).items)
}

export const useShares = (): readonly ShareItem[] | undefined => useStore(shares)
export const useSharesOf = (targetId: string): readonly ShareItem[] => (useStore(shares) ?? []).filter((share) => share.targetId === targetId)

/** Shows a link that was made or changed here. */
export function putShare(share: ShareItem): void {
  const list = shares.get() ?? []
  shares.set(list.some(({ id }) => id === share.id) ? list.map((other) => (other.id === share.id ? share : other)) : [share, ...list])
}

export const dropShare = (id: string): void => shares.set(shares.get()?.filter((share) => share.id !== id))
