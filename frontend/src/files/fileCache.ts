// What is known of files, so that a message that comes into sight again asks nothing. Addresses are good for five minutes.
import { filesApi, type FileItem } from './filesApi'

const MAX_AGE_MS = 4 * 60_000

const cache = new Map<string, { readonly item: Promise<FileItem>; readonly at: number }>()

export function cacheFile(item: FileItem): void {
  cache.set(item.id, { item: Promise.resolve(item), at: Date.now() })
}

/** The file with an address that is still good. Rejects with an ApiError. */
export function getFile(id: string): Promise<FileItem> {
  const found = cache.get(id)
  if (found && Date.now() - found.at < MAX_AGE_MS) return found.item
  const item = filesApi.get(id)
  cache.set(id, { item, at: Date.now() })
  item.catch(() => cache.delete(id))
  return item
}
