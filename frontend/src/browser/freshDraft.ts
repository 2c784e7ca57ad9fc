// What is written for a new chat belongs to its tab, so that two tabs never send it twice. A tab that opens takes over what a closed tab left.
import { boot } from '../api/boot'
import { draftIds, readDraft, writeDraft } from './drafts'
import { randomUuid } from './uuid'

export type FreshDraft = { readonly text: string; readonly fileIds: readonly string[] }

/** Where the browser has no locks, all tabs share this id. */
const SHARED_ID = 'new'
const TAB_KEY = 'parley-tab'
/** After a reload the former page may still have the lock for a moment; a duplicated tab has it for good. */
const HANDOVER_MS = 1000

const filesKey = (draftId: string): string => `files:${draftId}`
const lockName = (draftId: string): string => `parley:${boot.organization.slug}:${draftId}`
const { locks } = navigator as Partial<Navigator>

let id = locks ? storedId() : SHARED_ID
let isClaimed: Promise<void> | undefined
let hasAdopted = false

/** The id of the draft of this tab's new chat. It survives a reload of the tab. */
export const freshDraftId = (): string => id

function storedId(): string {
  try {
    const draftId = sessionStorage.getItem(TAB_KEY)
    if (draftId) return draftId
  } catch {
    return SHARED_ID
  }
  return newId()
}

function newId(): string {
  const draftId = `new-${randomUuid()}`
  sessionStorage.setItem(TAB_KEY, draftId)
  return draftId
}

/** Holds the lock until the page is closed. Returns whether it got it. */
function hold(manager: LockManager, draftId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const holding = manager.request(lockName(draftId), { signal: AbortSignal.timeout(HANDOVER_MS) }, () => {
      resolve(true)
      return new Promise<void>(() => undefined)
    })
    holding.catch(() => resolve(false))
  })
}

async function claim(manager: LockManager): Promise<void> {
  if (await hold(manager, id)) return
  id = newId()
  await hold(manager, id)
}

/** This tab's id is taken from now on. */
export function claimFreshDraft(): Promise<void> {
  return (isClaimed ??= locks && id !== SHARED_ID ? claim(locks) : Promise.resolve())
}

const takeDraft = (draftId: string): FreshDraft => {
  const draft = { text: readDraft(draftId), fileIds: readDraft(filesKey(draftId)).split(',').filter(Boolean) }
  writeDraft(draftId, '')
  writeDraft(filesKey(draftId), '')
  return draft
}

/** The ids of all stored drafts of new chats. */
const storedDrafts = (): readonly string[] => [...draftIds(SHARED_ID), ...draftIds(filesKey(SHARED_ID)).map((key) => key.slice(filesKey('').length))]

/** Takes over what a closed tab left unsent; null: nothing, or this tab has a draft of its own. Only the first call of a page looks. */
export async function adoptFreshDraft(): Promise<FreshDraft | null> {
  if (hasAdopted || !locks || id === SHARED_ID) return null
  hasAdopted = true
  await claimFreshDraft()
  if (readDraft(id) || readDraft(filesKey(id))) return null
  const lockNames = new Set((await locks.query()).held?.map(({ name }) => name))
  const orphan = storedDrafts().find((other) => other !== id && !lockNames.has(lockName(other)))
  if (!orphan) return null
  return locks.request(lockName(orphan), { ifAvailable: true }, (lock) => (lock ? takeDraft(orphan) : null))
}
