// The list of the member's conversations, kept up to date by notifications. The sidebar shows it.
import { plural, t } from '@lingui/core/macro'
import { errorMessage } from '../api/client'
import { conversationsApi } from '../api/conversationsApi'
import type { ConversationBatch, ConversationChange, ConversationItem, ConversationPage } from '../api/generated'
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
export const knownConversations = (): readonly ConversationItem[] => list.get().items

/** Ids of deleted conversations. An earlier announcement of one may arrive after its deletion. */
const deleted = createStore<ReadonlySet<string>>(new Set())

export const useDeletedIds = (): ReadonlySet<string> => useStore(deleted)
const isDeleted = (id: string): boolean => deleted.get().has(id)
const addDeleted = (ids: readonly string[]): void => deleted.set(new Set([...deleted.get(), ...ids]))
const forgetDeleted = (ids: readonly string[]): void => deleted.set(new Set([...deleted.get()].filter((id) => !ids.includes(id))))

/** Reads a page. What it lists although it was deleted before is back; what is deleted meanwhile is left out. */
async function readPage(cursor: string | null): Promise<ConversationPage> {
  const deletedBefore = deleted.get()
  const page = await conversationsApi.list(cursor, PAGE)
  forgetDeleted(page.items.flatMap(({ id }) => (deletedBefore.has(id) ? id : [])))
  return { ...page, items: page.items.filter(({ id }) => !isDeleted(id)) }
}

async function readNextPage(): Promise<void> {
  const { cursor } = list.get()
  if (cursor === null) return
  const page = await readPage(cursor ?? null)
  list.set(withPage(list.get(), page))
}

/** Loads one more page. Calls during a load share it. */
export function loadMore(): Promise<void> {
  loading ??= readNextPage()
    .catch((error: unknown) => showToast(errorMessage(error)))
    .finally(() => (loading = undefined))
  return loading
}

/** Catches up after a gap in the notifications. */
export async function refreshList(): Promise<void> {
  try {
    const page = await readPage(null)
    list.set(withNewestPage(list.get(), page))
  } catch {
    // The next reconnection asks again.
  }
}

/** Adds or updates a conversation. Returns false for a deleted one and for an older state, which are ignored. */
export function putConversation(item: ConversationItem): boolean {
  if (isDeleted(item.id)) return false
  list.set(withItem(list.get(), item))
  return knownConversations().includes(item)
}

/** Lists a new conversation before the server announces it. */
export function putNewConversation(id: string, projectId: string | null): void {
  const now = new Date().toISOString()
  if (knownConversations().some((item) => item.id === id)) return
  putConversation({ id, title: '', headId: null, updatedAt: now, createdAt: now, revision: 0, unread: false, pinned: false, archived: false, projectId, activeRun: false, waiting: null })
}

/** Marks the answers of a conversation as read, here and on the member's other screens. */
export function markAsRead(id: string): void {
  const item = knownConversations().find((item) => item.id === id)
  if (!item?.unread) return
  putConversation({ ...item, unread: false })
  conversationsApi.markAsRead(id).catch(() => undefined) // the list that is read after a reconnection says how it stands
}

/** Removes deleted conversations from the page. */
export function dropConversations(ids: readonly string[]): void {
  addDeleted(ids)
  for (const id of ids) {
    list.set(withoutItem(list.get(), id))
    removeSession(id)
    writeDraft(id, '')
    writeUnsent(id, [])
  }
}

/** Shows the change at once, and takes it back when the server refuses it. */
async function change(item: ConversationItem, change: ConversationChange, patch: Partial<ConversationItem>): Promise<boolean> {
  putConversation({ ...item, ...patch })
  try {
    putConversation(await conversationsApi.change(item.id, change))
    return true
  } catch (error) {
    putConversation(item)
    showToast(errorMessage(error))
    return false
  }
}

export const renameConversation = (item: ConversationItem, title: string): Promise<boolean> => change(item, { title }, { title })

export const pinConversation = (item: ConversationItem, pinned: boolean): Promise<boolean> => change(item, { pinned }, { pinned, ...(pinned && { archived: false }) })

/** Lists conversations again whose deletion was taken back. */
export function putRestored(items: readonly ConversationItem[]): void {
  forgetDeleted(items.map(({ id }) => id))
  for (const item of items) putConversation(item)
}

const undoAction = (act: () => Promise<unknown>) => ({ label: t`Undo`, act: () => void act().catch((error: unknown) => showToast(errorMessage(error))) })

const nameOf = (items: readonly ConversationItem[]): string => (items.length === 1 && items[0] ? t`“${titleOf(items[0])}”` : plural(items.length, { one: '# chat', other: '# chats' }))

/** Applies one act to several conversations and shows it at once. Returns whether the server did it. */
async function act(items: readonly ConversationItem[], name: ConversationBatch['act'], patch: Partial<ConversationItem>, projectId?: string | null): Promise<boolean> {
  try {
    await conversationsApi.batch(
      items.map(({ id }) => id),
      name,
      projectId,
    )
    for (const item of items) putConversation({ ...item, ...patch })
    return true
  } catch (error) {
    showToast(errorMessage(error))
    return false
  }
}

/** Puts conversations away, with Undo. */
export async function archiveConversations(items: readonly ConversationItem[]): Promise<void> {
  if (!(await act(items, 'archive', { archived: true, pinned: false }))) return
  const what = nameOf(items)
  showToast(t`${what} archived`, undoAction(() => undoArchive(items)))
}

export const unarchiveConversations = (items: readonly ConversationItem[]): Promise<boolean> => act(items, 'unarchive', { archived: false })

/** Puts conversations back where they were before they were archived. `items`: as they were then. A pin takes a conversation out of the archive. */
export async function undoArchive(items: readonly ConversationItem[]): Promise<void> {
  const others = items.filter((item) => !item.pinned)
  if (others.length) await unarchiveConversations(others)
  for (const item of items) if (item.pinned) await pinConversation({ ...item, pinned: false, archived: true }, true)
}

/** `projectId`: null takes them out of their projects. `to`: the project's name. */
export async function moveConversations(items: readonly ConversationItem[], projectId: string | null, to: string): Promise<void> {
  if (!(await act(items, 'move', { projectId }, projectId))) return
  const what = nameOf(items)
  showToast(projectId ? t`${what} moved to ${to}` : t`${what} removed from the project`)
}

/** Deletes at once, and offers to undo it. What was typed there and not sent comes back, too. `open`: the conversation on display. */
export async function deleteConversations(items: readonly ConversationItem[], open: string | undefined): Promise<void> {
  const ids = items.map(({ id }) => id)
  const drafts = ids.map((id) => ({ id, draft: readDraft(id), unsent: readUnsent(id) }))
  const isOpen = open !== undefined && ids.includes(open)
  const undo = async () => {
    const { ids: restored } = await conversationsApi.batch(ids, 'restore')
    putRestored(items.filter(({ id }) => restored.includes(id)))
    for (const { id, draft, unsent } of drafts) {
      writeDraft(id, draft)
      writeUnsent(id, unsent)
    }
    if (isOpen && restored.includes(open)) goToConversation(open)
  }
  try {
    await conversationsApi.batch(ids, 'delete')
    dropConversations(ids)
    if (isOpen) goHome()
    const what = nameOf(items)
    showToast(t`${what} deleted`, undoAction(undo))
  } catch (error) {
    showToast(errorMessage(error))
  }
}
