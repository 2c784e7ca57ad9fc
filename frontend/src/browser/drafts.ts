import { boot } from '../api/boot'
import { forgetStored, readStored, storedKeys, writeStored } from './storage'

let isSigningOut = false

/** The text of a conversation's message box survives a reload. That of a new chat belongs to its tab (freshDraft.ts). */
const key = (id: string): string => `draft:${boot.organization.slug}:${id}`

export const readDraft = (id: string): string => readStored(key(id)) ?? ''
/** Returns whether the draft is kept. */
export const writeDraft = (id: string, text: string): boolean => !isSigningOut && writeStored(key(id), text)
/** The ids of the stored drafts that start with `start`. */
export const draftIds = (start: string): readonly string[] => storedKeys(key(start)).map((name) => name.slice(key('').length))
/** The preferences that the user wrote but did not save. */
export const readPreferencesDraft = (): string => readDraft('preferences')
export const writePreferencesDraft = (text: string): boolean => writeDraft('preferences', text)

/** Deletes all drafts at sign-out, for the next person at this computer. From then on the page stores no more. */
export function forgetDrafts(): void {
  isSigningOut = true
  forgetStored('draft:')
}
