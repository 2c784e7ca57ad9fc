import { boot } from '../app/boot'
import { forgetStored, readStored, writeStored } from '../ui/storage'

/** The message box of a conversation survives a reload: text only. The box of a new chat has the id `new`. */
const key = (id: string): string => `draft:${boot.organization.slug}:${id}`

export const readDraft = (id: string): string => readStored(key(id)) ?? ''
export const writeDraft = (id: string, text: string): void => writeStored(key(id), text)
/** Preferences that were written and not saved. */
export const readPreferencesDraft = (): string => readDraft('preferences')
export const writePreferencesDraft = (text: string): void => writeDraft('preferences', text)

/** At sign-out: the next person at this computer finds nothing. */
export const forgetDrafts = (): void => forgetStored('draft:')
