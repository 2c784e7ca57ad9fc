// Unsaved text survives a reload, a crash and a closed tab. Each page stores its own drafts, so that two pages do not overwrite each other's.
import { draftIds, readDraft, writeDraft } from '../../browser/drafts'
import { randomUuid } from '../../browser/uuid'

/** A text and the number of the version that it was made from. */
export type Draft = { readonly base: number; readonly text: string }
type StoredDraft = Draft & { readonly at: number }

const PAGE = randomUuid()
const key = (id: string, owner: string): string => `artifact:${id}${owner && `:${owner}`}`
const lockOf = (owner: string): string => `parley-draft:${owner}`
/** Without locks (on plain HTTP) no page can know whether another one is still open. */
const locks = globalThis.navigator?.locks as LockManager | undefined

let holdsLock = false

/** While this page lives, no other page takes its drafts. */
function holdLock(): void {
  if (holdsLock) return
  holdsLock = true
  void locks?.request(lockOf(PAGE), () => new Promise(() => undefined))
}

function read(id: string, owner: string): StoredDraft | null {
  try {
    const { base, text, at = 0 } = JSON.parse(readDraft(key(id, owner))) as StoredDraft
    return typeof base === 'number' && typeof text === 'string' ? { base, text, at } : null
  } catch {
    return null
  }
}

export const deleteDraft = (id: string): boolean => writeDraft(key(id, PAGE), '')
/** Returns whether the browser keeps the draft. */
export function storeDraft(id: string, draft: Draft): boolean {
  holdLock()
  return writeDraft(key(id, PAGE), JSON.stringify({ ...draft, at: Date.now() }))
}

/** The other pages that stored a draft of the artifact, newest draft first. Some may still be open. */
function otherOwnersOf(id: string): readonly string[] {
  const owners = draftIds(key(id, '')).map((name) => name.split(':')[2] ?? '')
  const age = (owner: string): number => read(id, owner)?.at ?? 0
  return owners.filter((owner) => owner !== PAGE).toSorted((a, b) => age(b) - age(a))
}

/** Passes each draft that another page left behind to `take`, one after the other, as soon as that page is closed. Then the draft is deleted. */
export function recoverAbandonedDrafts(id: string, take: (draft: Draft) => Promise<void>): void {
  let turn: Promise<void> = Promise.resolve()
  for (const owner of otherOwnersOf(id)) {
    const inTurn = async () => {
      const draft = read(id, owner) // another page may have been faster, or its own saved it before it went
      if (!draft) return
      await take(draft)
      writeDraft(key(id, owner), '')
      if (read(id, PAGE)?.text !== draft.text) storeDraft(id, draft) // the storage had no room for both
    }
    const whenGone = () => (turn = turn.then(inTurn))
    if (locks) void locks.request(lockOf(owner), whenGone)
    else void whenGone()
  }
}
