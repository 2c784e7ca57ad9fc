// Caches files, so that a message that scrolls into view again sends no request. Addresses are valid for five minutes.
import type { FileItem } from '../api/generated'
import { filesApi } from './filesApi'

const MAX_AGE_MS = 4 * 60_000

const cache = new Map<string, { readonly item: Promise<FileItem>; readonly at: number }>()

export function cacheFile(item: FileItem): void {
  cache.set(item.id, { item: Promise.resolve(item), at: Date.now() })
}

/** The file with a valid address. Rejects with an ApiError. */
export function getFile(id: string): Promise<FileItem> {
  const entry = cache.get(id)
  if (entry && Date.now() - entry.at < MAX_AGE_MS) return entry.item
  const item = filesApi.get(id)
  cache.set(id, { item, at: Date.now() })
  item.catch(() => cache.delete(id))
  return item
}
