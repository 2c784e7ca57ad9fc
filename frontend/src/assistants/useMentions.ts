import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { useSuggestions } from '../ui/useSuggestions'
import { refreshAssistants, useAssistants } from './assistants'
import { matchingAssistants, mentionQuery } from './matching'

/** Whom `@` offers. The key is '' for the chat agent itself. */
export type Mention = { readonly key: string; readonly name: string; readonly description: string; readonly pictureUrl: string | null }

export type Mentions = {
  /** Whom the text of the message box asks for; null: there is no list. */
  readonly matches: readonly Mention[] | null
  /** The place in `matches` that Enter takes. */
  readonly active: number
  choose(mention: Mention): void
  /** Handles a key of the message box. Returns whether it was one for the list. */
  handleKey(event: React.KeyboardEvent<HTMLTextAreaElement>): boolean
}

export const MENTION_LIST = 'mention-list'
export const mentionOptionId = (mention: Mention): string => `mention-${mention.key || 'own'}`
const own = (): Mention => ({ key: '', name: 'Parley', description: t`Good at most things`, pictureUrl: null })

/** The assistants that `@` offers at the beginning of a message. A choice clears what was typed for it. */
export function useMentions(text: string, onText: (text: string) => void, onChoose: (key: string) => void, hasFocus: boolean): Mentions {
  const assistants = useAssistants()
  const suggestions = useSuggestions(text, mentionQuery(text), hasFocus)
  const { query, active } = suggestions
  const isAsked = query !== null
  useEffect(() => {
    if (isAsked) void refreshAssistants()
  }, [isAsked])
  const matching = isAsked && assistants.length > 0 ? matchingAssistants([own(), ...assistants], query) : []
  const matches = matching.length > 0 ? matching : null

  const choose = ({ key }: Mention) => {
    onText('')
    onChoose(key)
  }
  return { matches, active, choose, handleKey: (event) => matches !== null && suggestions.handleKey(event, matches, choose) }
}
