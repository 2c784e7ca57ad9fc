// The language of the page: its texts, its direction, and how it writes dates and numbers.
import { i18n, type Messages } from '@lingui/core'
import { boot } from '../api/boot'

type Catalogue = () => Promise<{ messages: Messages }>

/** The languages beside English, whose texts are in the code. Each is fetched when somebody reads it. */
const CATALOGUES: Record<string, readonly Catalogue[]> = {
  de: [() => import('../locales/de/app.po'), () => import('../locales/de/chat.po')],
}
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur'])

export const directionOf = (language: string): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.has(language.split('-')[0]!) ? 'rtl' : 'ltr')

async function messagesOf(language: string): Promise<Messages> {
  const parts = await Promise.all((CATALOGUES[language] ?? []).map((load) => load()))
  return Object.assign({}, ...parts.map((part) => part.messages)) as Messages
}

/** Shows the page in this language from now on. Rejects when its texts cannot be fetched; the page then stays as it is. */
export async function showLanguage(language: string): Promise<void> {
  const messages = await messagesOf(language)
  i18n.loadAndActivate({ locale: language, messages })
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}

/** The language that a member's choice means: with none it is the browser's, as far as it is one of those on offer. */
export function languageOf(choice: string, languages: readonly string[]): string {
  const candidates = choice ? [choice] : navigator.languages.map((tag) => tag.split('-')[0]!)
  return candidates.find((language) => languages.includes(language)) ?? 'en'
}

/** Shows the reader's language, or English while its texts cannot be fetched. */
export const startLanguage = (): Promise<void> => showLanguage(boot.language).catch(() => showLanguage('en'))
