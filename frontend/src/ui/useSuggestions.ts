import { useEffect, useState } from 'react'

export type Suggestions = {
  /** What is looked for; null: nothing, or the user closed the list. */
  readonly query: string | null
  /** The place in the list that Enter takes. */
  readonly active: number
  /** Handles a key of the text box for the list of `matches`. Returns whether it was one for the list. */
  handleKey<T>(event: AnyKeyboardEvent, matches: readonly T[], choose: (one: T) => void): boolean
}

/** React's, or the browser's own. */
type AnyKeyboardEvent = React.KeyboardEvent | KeyboardEvent

const isComposing = (event: AnyKeyboardEvent): boolean => ('nativeEvent' in event ? event.nativeEvent : event).isComposing

export const isPlainKey = (event: AnyKeyboardEvent): boolean => !(isComposing(event) || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)

/** The list that a text box opens while its text asks for one, such as with `/` or `@`. `term`: what the text looks for. The focus stays in the box. */
export function useSuggestions(text: string, term: string | null, hasFocus: boolean): Suggestions {
  const [closedAt, setClosedAt] = useState<string | null>(null)
  const [active, setActive] = useState(0)
  const query = closedAt === text || !hasFocus ? null : term
  useEffect(() => setActive(0), [query])

  const handleKey = <T>(event: AnyKeyboardEvent, matches: readonly T[], choose: (one: T) => void): boolean => {
    if (!isPlainKey(event)) return false
    const match = matches[active]
    const count = Math.max(matches.length, 1)
    if (event.key === 'Escape') setClosedAt(text)
    else if (event.key === 'ArrowDown') setActive((active + 1) % count)
    else if (event.key === 'ArrowUp') setActive((active + count - 1) % count)
    else if ((event.key === 'Enter' || event.key === 'Tab') && match !== undefined) choose(match)
    else return false
    event.preventDefault()
    return true
  }
  return { query, active, handleKey }
}
