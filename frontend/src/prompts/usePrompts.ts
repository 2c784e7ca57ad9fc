import { useEffect, useState } from 'react'
import type { SavedPromptItem } from '../api/generated'
import { gapsOf, matchingPrompts, nextGap, promptQuery, type Gap } from './gaps'
import { promptsApi } from './promptsApi'

/** Editing or writing a prompt: null is a new one. */
export type EditedPrompt = SavedPromptItem | null

export type Prompts = {
  /** What the text of the message box asks for; null: nothing, or the user closed the list. */
  readonly found: readonly SavedPromptItem[] | null
  readonly failed: boolean
  /** The place in `found` that Enter takes. */
  readonly active: number
  readonly edited: EditedPrompt | undefined
  choose(prompt: SavedPromptItem): void
  edit(prompt: EditedPrompt): void
  closeEditor(changed: boolean): void
  /** Handles a key of the message box. Returns whether it was one for the list or for the gaps. */
  handleKey(event: React.KeyboardEvent<HTMLTextAreaElement>): boolean
}

function select(box: HTMLTextAreaElement | null, gap: Gap): void {
  box?.focus()
  box?.setSelectionRange(gap.start, gap.end)
}

/** The saved prompts that `/` offers in a message box, and the gaps of the one that was inserted. */
export function usePrompts(boxId: string, text: string, onChange: (text: string) => void): Prompts {
  const [all, setAll] = useState<readonly SavedPromptItem[]>()
  const [failed, setFailed] = useState(false)
  const [closedAt, setClosedAt] = useState<string | null>(null)
  const [active, setActive] = useState(0)
  const [gaps, setGaps] = useState<readonly string[]>([])
  const [edited, setEdited] = useState<EditedPrompt>()
  const query = closedAt === text ? null : promptQuery(text)
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
  useEffect(() => setActive(0), [query])
  // The organization's come first, as they are shown.
  const found = isAsked && (all || failed) ? matchingPrompts(all ?? [], query).toSorted((a, b) => Number(a.own) - Number(b.own)) : null

  const choose = (prompt: SavedPromptItem) => {
    const named = gapsOf(prompt.text)
    setGaps(named)
    onChange(prompt.text)
    const gap = nextGap(prompt.text, named, 0) ?? { start: prompt.text.length, end: prompt.text.length }
    setTimeout(() => select(box(), gap)) // after the box has the text
  }
  const closeEditor = (changed: boolean) => {
    setEdited(undefined)
    if (changed) load()
    setTimeout(() => box()?.focus())
  }
  /** Selects the next open gap. Returns whether there is one. */
  const goToGap = (target: HTMLTextAreaElement): boolean => {
    const gap = gaps.length ? nextGap(text, gaps, target.selectionEnd) : null
    if (gap) select(target, gap)
    return gap !== null
  }
  const handleListKey = (key: string, prompts: readonly SavedPromptItem[]): boolean => {
    const chosen = prompts[active]
    if (key === 'Escape') setClosedAt(text)
    else if (key === 'ArrowDown') setActive(prompts.length ? (active + 1) % prompts.length : 0)
    else if (key === 'ArrowUp') setActive(prompts.length ? (active + prompts.length - 1) % prompts.length : 0)
    else if ((key === 'Enter' || key === 'Tab') && chosen) choose(chosen)
    else return false
    return true
  }
  const handleKey = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.nativeEvent.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
    const isHandled = found ? handleListKey(event.key, found) : (event.key === 'Tab' || event.key === 'Enter') && goToGap(event.currentTarget)
    if (isHandled) event.preventDefault()
    return isHandled
  }
  return { found, failed, active, edited, choose, edit: setEdited, closeEditor, handleKey }
}
