import type { ConversationItem } from '../api/generated'

/** The title as a reader sees it: a conversation gets its own with its first answer. */
export const titleOf = (item: ConversationItem): string => item.title || 'New chat'
