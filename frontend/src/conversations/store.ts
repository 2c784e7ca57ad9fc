// The list of the member's conversations, kept up to date by notifications. The sidebar shows it.
import { errorMessage } from '../api/client'
import { conversationsApi } from '../api/conversationsApi'
import type { ConversationItem } from '../api/generated'
import { readDraft, writeDraft } from '../browser/drafts'
import { removeSession } from '../chat/session/sessions'
import { readUnsent, writeUnsent } from '../chat/session/unsentStorage'
import { goHome, goToConversation } from '../navigation/router'
import { createStore, useStore } from '../ui/store'
import { showToast } from '../ui/toasts'
import { EMPTY_LIST, withItem, withNewestPage, withoutItem, withPage, type ConversationList } from './list'
import { titleOf } from './title'

const PAGE = 40

const list = createStore<ConversationList>(EMPTY_LIST)
let loading: Promise<void> | undefined

export const useConversations = (): ConversationList => useStore(list)

const readPage = async (): Promise<void> => {
  const { cursor } = list.get()
  if (cursor === null) return
  const page = await conversationsApi.list(cursor ?? null, PAGE)
  list.set(withPage(list.get(), page))
}

/** Loads one more page. Calls during a load share it. */
export function loadMore(): Promise<void> {
  loading ??= readPage()
    .catch((error: unknown) => showToast(errorMessage(error)))
    .finally(() => (loading = undefined))
  return loading
}

/** Catches up after a gap in the notifications. */
export async function refreshList(): Promise<void> {
  try {
    list.set(withNewestPage(list.get(), await conversationsApi.list(null, PAGE)))
  } catch {
    // The next reconnection asks again.
  }
}

/** Ids of deleted conversations. An earlier announcement of one may arrive after its deletion. */
const deletedIds = new Set<string>()

/** Adds or updates a conversation. Returns false for a deleted one and for an older state, which are ignored. */
export function putConversation(item: ConversationItem): boolean {
  if (deletedIds.has(item.id)) return false
  list.set(withItem(list.get(), item))
  return list.get().items.includes(item)
}

/** Lists a new conversation before the server announces it. */
export function putNewConversation(id: string): void {
  const now = new Date().toISOString()
  if (!list.get().items.some((item) => item.id === id)) putConversation({ id, title: '', headId: null, updatedAt: now, createdAt: now, revision: 0, unread: false, activeRun: false, waiting: null })
}

/** Marks the answers of a conversation as read, here and on the member's other screens. */
export function markAsRead(id: string): void {
  const item = list.get().items.find((item) => item.id === id)
  if (!item?.unread) return
  putConversation({ ...item, unread: false })
  conversationsApi.markAsRead(id).catch(() => undefined) // the list that is read after a reconnection says how it stands
}

/** Removes a deleted conversation from the page. */
export function dropConversation(id: string): void {
  deletedIds.add(id)
  list.set(withoutItem(list.get(), id))
  removeSession(id)
  writeDraft(id, '')
  writeUnsent(id, [])
}

export async function renameConversation(item: ConversationItem, title: string): Promise<void> {
  putConversation({ ...item, title })
  try {
    putConversation(await conversationsApi.rename(item.id, title))
  } catch (error) {
    putConversation(item)
    showToast(errorMessage(error))
  }
}

/** Lists a conversation again whose deletion was taken back. */
export function putRestored(item: ConversationItem): void {
  deletedIds.delete(item.id)
  putConversation(item)
}

/** Deletes at once, and offers to undo it. What was typed there and not sent comes back, too. */
export async function deleteConversation(item: ConversationItem, isOpen: boolean): Promise<void> {
  const { id } = item
  const draft = readDraft(id)
  const unsent = readUnsent(id)
  const undo = async () => {
    try {
      putRestored(await conversationsApi.restore(id))
      writeDraft(id, draft)
      writeUnsent(id, unsent)
      if (isOpen) goToConversation(id)
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  try {
    await conversationsApi.remove(id)
    dropConversation(id)
    if (isOpen) goHome()
    showToast(`“${titleOf(item)}” deleted`, { label: 'Undo', act: () => void undo() })
  } catch (error) {
    showToast(errorMessage(error))
  }
}
