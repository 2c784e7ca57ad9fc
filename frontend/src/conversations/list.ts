import type { ConversationItem, ConversationPage } from '../api/generated'

export type ConversationList = {
  /** Newest first. */
  readonly items: readonly ConversationItem[]
  /** Where the next page starts. Null: everything is loaded. Undefined: nothing is loaded yet. */
  readonly cursor: string | null | undefined
}

export const EMPTY_LIST: ConversationList = { items: [], cursor: undefined }

/** The server's order (chat/conversations/lists.py), for what notifications bring. groups.ts puts the pinned ones first. */
const newestFirst = (a: ConversationItem, b: ConversationItem) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt)

/** An older state of a conversation may arrive last, so the higher revision wins. */
function merge(items: readonly ConversationItem[], fresh: readonly ConversationItem[]): readonly ConversationItem[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  for (const item of fresh) if (item.revision >= (byId.get(item.id)?.revision ?? 0)) byId.set(item.id, item)
  return [...byId.values()].toSorted(newestFirst)
}

export const withPage = (list: ConversationList, page: ConversationPage): ConversationList => ({
  items: merge(list.items, page.items),
  cursor: page.nextCursor,
})

/** What the sidebar lists. An archived conversation stays known, so that an older state of it does not list it again. */
export const sidebarItems = (items: readonly ConversationItem[]): readonly ConversationItem[] => items.filter((item) => !item.archived)

export const withItem = (list: ConversationList, item: ConversationItem): ConversationList => ({ ...list, items: merge(list.items, [item]) })

export const withoutItem = (list: ConversationList, id: string): ConversationList => ({ ...list, items: list.items.filter((item) => item.id !== id) })

/** The list with the newest page after a gap in the notifications. Conversations that are missing from that page were deleted. The cursor stays. */
export function withNewestPage(list: ConversationList, page: ConversationPage): ConversationList {
  const isWhole = list.cursor === undefined || page.nextCursor === null
  const isThere = (item: ConversationItem) => page.items.some(({ id }) => id === item.id)
  const oldest = isWhole ? -Infinity : Math.min(...page.items.filter((item) => !item.pinned).map((item) => Date.parse(item.updatedAt)))
  const newestRevision = page.items.length ? Math.max(...page.items.map((item) => item.revision)) : Infinity
  const remaining = list.items.filter((item) => Date.parse(item.updatedAt) < oldest || item.revision > newestRevision || isThere(item))
  // The page has all pinned ones: a conversation that is missing there is not pinned any more.
  const unpinned = remaining.map((item) => (item.pinned && item.revision <= newestRevision && !isThere(item) ? { ...item, pinned: false } : item))
  return { items: merge(unpinned, page.items), cursor: isWhole ? page.nextCursor : list.cursor }
}
