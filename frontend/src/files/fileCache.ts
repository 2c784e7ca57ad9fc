// What is known of files, so that a message that comes into sight again asks nothing. Addresses are good for five minutes.
import { filesApi, type FileItem } from './filesApi'

const FRESH_MS = 4 * 60_000

const known = new Map<string, { readonly item: Promise<FileItem>; readonly at: number }>()

export function cacheFile(item: FileItem): void {
  known.set(item.id, { item: Promise.resolve(item), at: Date.now() })
}

/** The file with an address that is still good. Rejects with an ApiError. */
export function getFile(id: string): Promise<FileItem> {
  const found = known.get(id)
  if (found && Date.now() - found.at < FRESH_MS) return found.item
  const item = filesApi.get(id)
  known.set(id, { item, at: Date.now() })
  item.catch(() => known.delete(id))
  return item
}
