import { useCallback, useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import { conversationsApi, type ListFilter } from '../api/conversationsApi'
import type { ConversationItem } from '../api/generated'
import { EMPTY_LIST, withItem, withPage, type ConversationList } from './list'
import { useConversations, useDeletedIds } from './store'

const PAGE = 30

export type OwnList = { readonly items: readonly ConversationItem[]; readonly isLoading: boolean; readonly hasMore: boolean; readonly error: string; loadMore(): void }

/** A list of a page, such as the archive, with what the page learns of its conversations meanwhile. `belongs`: says what is still in it. */
export function useList(filter: ListFilter, belongs: (item: ConversationItem) => boolean): OwnList {
  const [list, setList] = useState<ConversationList>(EMPTY_LIST)
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState('')
  const items = useConversations().items
  const deleted = useDeletedIds()
  const { archived, projectId } = filter
  const load = useCallback(
    async (cursor: string | null) => {
      setLoading(true)
      setError('')
      try {
        const page = await conversationsApi.list(cursor, PAGE, { archived, projectId } as ListFilter)
        setList((before) => withPage(cursor === null ? EMPTY_LIST : before, page))
      } catch (problem) {
        setError(errorMessage(problem))
      } finally {
        setLoading(false)
      }
    },
    [archived, projectId],
  )
  useEffect(() => void load(null), [load])
  const isKnown = list.cursor !== undefined
  const all = items.reduce<ConversationList>((so, item) => (so.items.some(({ id }) => id === item.id) || (isKnown && belongs(item)) ? withItem(so, item) : so), list)
  return {
    items: all.items.filter((item) => belongs(item) && !deleted.has(item.id)),
    isLoading,
    hasMore: Boolean(list.cursor),
    error,
    loadMore: () => void load(list.cursor ?? null),
  }
}
