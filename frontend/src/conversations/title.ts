import { t } from '@lingui/core/macro'
import type { ConversationItem } from '../api/generated'
import { visibleText } from '../plainText/segments'

/** The title as a reader sees it: a conversation gets its own with its first answer. */
export const titleOf = (item: ConversationItem): string => visibleText(item.title) || t`New chat`
