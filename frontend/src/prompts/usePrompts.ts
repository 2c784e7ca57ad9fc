import { useEffect, useState } from 'react'
import type { SavedPromptItem } from '../api/generated'
import { isPlainKey, useSuggestions } from '../ui/useSuggestions'
import { gapsOf, matchingPrompts, nextGap, promptQuery, type Gap } from './gaps'
import { promptsApi } from './promptsApi'

/** Editing or writing a prompt: null is a new one. */
export type EditedPrompt = SavedPromptItem | null

export type Prompts = {
  /** What the text of the message box asks for; null: there is no list. */
  readonly matches: readonly SavedPromptItem[] | null
  readonly failed: boolean
  /** The place in `matches` that Enter takes. */
  readonly active: number
  readonly edited: EditedPrompt | undefined
  /** The text has gaps of a prompt that nobody filled yet. */
  readonly hasGap: boolean
  choose(prompt: SavedPromptItem): void
  edit(prompt: EditedPrompt): void
  closeEditor(changed: boolean): void
  /** Handles a key of the message box. Returns whether it was one for the list or for the gaps. */
  handleKey(event: React.KeyboardEvent<HTMLTextAreaElement>): boolean
}

const ORDER: readonly SavedPromptItem['source'][] = ['organization', 'own', 'parley']

function select(box: HTMLTextAreaElement | null, gap: Gap): void {
  box?.focus()
  box?.setSelectionRange(gap.start, gap.end)
}

/** The saved prompts that `/` offers in a message box, and the gaps of the one that was inserted. */
export function usePrompts(boxId: string, text: string, onChange: (text: string) => void, hasFocus: boolean): Prompts {
  const [all, setAll] = useState<readonly SavedPromptItem[]>()
  const [failed, setFailed] = useState(false)
  const [gaps, setGaps] = useState<readonly string[]>([])
  const [edited, setEdited] = useState<EditedPrompt>()
  const suggestions = useSuggestions(text, promptQuery(text), hasFocus)
  const { query, active } = suggestions
  const isAsked = query !== null
  const box = () => document.getElementById(boxId) as HTMLTextAreaElement | null
  const load = () => {
    promptsApi.list().then(
      ({ items }) => {
        setAll(items)
        setFailed(false)
      },
      () => setFailed(true),
    )
  }
  useEffect(() => {
    if (isAsked) load()
  }, [isAsked])
  // As they are shown.
  const matches = isAsked && (all || failed) ? matchingPrompts(all ?? [], query).toSorted((a, b) => ORDER.indexOf(a.source) - ORDER.indexOf(b.source)) : null

  const choose = (prompt: SavedPromptItem) => {
    const promptGaps = gapsOf(prompt.text)
    setGaps(promptGaps)
    onChange(prompt.text)
    const gap = nextGap(prompt.text, promptGaps, 0) ?? { start: prompt.text.length, end: prompt.text.length }
    setTimeout(() => select(box(), gap)) // after the box has the text
  }
  const closeEditor = (changed: boolean) => {
    setEdited(undefined)
    if (changed) load()
    setTimeout(() => box()?.focus())
  }
  /** Selects the next open gap. Returns whether there is one. */
  const goToGap = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const box = event.currentTarget
    const isForGap = isPlainKey(event) && (event.key === 'Tab' || event.key === 'Enter')
    const gap = isForGap && gaps.length ? nextGap(text, gaps, box.selectionEnd) : null
    if (!gap) return false
    event.preventDefault()
    select(box, gap)
    return true
  }
  const handleKey = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => (matches ? suggestions.handleKey(event, matches, choose) : goToGap(event))
  const hasGap = gaps.length > 0 && nextGap(text, gaps, 0) !== null
  return { matches, failed, active, edited, hasGap, choose, edit: setEdited, closeEditor, handleKey }
}
