import { boot } from '../app/boot'
import { forgetStored, readStored, writeStored } from '../ui/storage'

/** The message box of a conversation survives a reload: text only. The box of a new chat has the id `new`. */
const key = (id: string): string => `draft:${boot.organization.slug}:${id}`

export const readDraft = (id: string): string => readStored(key(id)) ?? ''
export const writeDraft = (id: string, text: string): void => writeStored(key(id), text)
/** At sign-out: the next person at this computer finds nothing. */
export const forgetDrafts = (): void => forgetStored('draft:')
