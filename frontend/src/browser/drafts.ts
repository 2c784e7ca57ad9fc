import { boot } from '../api/boot'
import { forgetStored, readStored, storedKeys, writeStored } from './storage'

let isSigningOut = false

/** The message box of a conversation survives a reload: text only. The box of a new chat has the id `new`. */
const key = (id: string): string => `draft:${boot.organization.slug}:${id}`

export const readDraft = (id: string): string => readStored(key(id)) ?? ''
export function writeDraft(id: string, text: string): void {
  if (!isSigningOut) writeStored(key(id), text)
}
/** What drafts there are whose id starts with `start`. */
export const draftIds = (start: string): readonly string[] => storedKeys(key(start)).map((name) => name.slice(key('').length))
/** Preferences that were written and not saved. */
export const readPreferencesDraft = (): string => readDraft('preferences')
export const writePreferencesDraft = (text: string): void => writeDraft('preferences', text)

/** At sign-out: the next person at this computer finds nothing, and a page that goes away writes nothing back. */
export function forgetDrafts(): void {
  isSigningOut = true
  forgetStored('draft:')
}
