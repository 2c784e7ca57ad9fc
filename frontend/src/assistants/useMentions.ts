import { useEffect, useState } from 'react'
import { refreshAssistants, useAssistants } from './assistants'
import { matchingAssistants, mentionQuery } from './matching'

/** Whom `@` offers. The key is '' for the chat agent itself. */
export type Mention = { readonly key: string; readonly name: string; readonly description: string; readonly pictureUrl: string | null }

export type Mentions = {
  /** Whom the text of the message box asks for; null: it asks for nobody, or the user closed the list. */
  readonly found: readonly Mention[] | null
  /** The place in `found` that Enter takes. */
  readonly active: number
  choose(mention: Mention): void
  /** Handles a key of the message box. Returns whether it was one for the list. */
  handleKey(event: React.KeyboardEvent<HTMLTextAreaElement>): boolean
}

export const MENTION_LIST = 'mention-list'
export const mentionOptionId = (mention: Mention): string => `mention-${mention.key || 'own'}`
const OWN: Mention = { key: '', name: 'Parley', description: 'Good at most things', pictureUrl: null }

/** The assistants that `@` offers at the beginning of a message. A choice clears what was typed for it. */
export function useMentions(text: string, onText: (text: string) => void, onChoose: (key: string) => void): Mentions {
  const assistants = useAssistants()
  const [closedAt, setClosedAt] = useState<string | null>(null)
  const [active, setActive] = useState(0)
  const query = closedAt === text ? null : mentionQuery(text)
  const isAsked = query !== null
  useEffect(() => {
    if (isAsked) void refreshAssistants()
  }, [isAsked])
  useEffect(() => setActive(0), [query])
  const matching = isAsked && assistants.length > 0 ? matchingAssistants([OWN, ...assistants], query) : []
  const found = matching.length > 0 ? matching : null

  const choose = ({ key }: Mention) => {
    onText('')
    onChoose(key)
  }
  const handleKey = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (!found || event.nativeEvent.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
    const chosen = found[active]
    if (event.key === 'Escape') setClosedAt(text)
    else if (event.key === 'ArrowDown') setActive((active + 1) % found.length)
    else if (event.key === 'ArrowUp') setActive((active + found.length - 1) % found.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) choose(chosen)
    else return false
    event.preventDefault()
    return true
  }
  return { found, active, choose, handleKey }
}
