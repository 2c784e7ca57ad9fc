// The menu of blocks that `/` opens at the cursor. The focus stays in the text.
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { EditorState } from 'prosemirror-state'
import { useSuggestions } from '../../ui/useSuggestions'
import { useBlockChoices, type BlockChoice } from './blockChoices'
import { answerSlash, matchingBlocks, slashQuery } from './slashQuery'
import type { RichEditor } from './useRichEditor'

const LIST = 'block-list'
const GAP_PX = 6
const optionId = (index: number): string => `block-${index}`

/** `box`: what scrolls the text. */
type Props = { editor: RichEditor; state: EditorState; box: RefObject<HTMLDivElement | null> }

export function SlashMenu({ editor, state, box }: Props) {
  const { t } = useLingui()
  const list = useRef<HTMLDivElement>(null)
  const choices = useBlockChoices()
  const query = slashQuery(state)
  const suggestions = useSuggestions(query ? `${query.at}/${query.text}` : '', query?.text ?? null, editor.hasFocus)
  const matches = suggestions.query === null ? [] : matchingBlocks(choices, suggestions.query)
  const active = matches.length > 0 ? suggestions.active : null
  const choose = ({ command }: BlockChoice) => query && editor.run(answerSlash(query, command))
  editor.onKey.current = (event) => matches.length > 0 && suggestions.handleKey(event, matches, choose)
  useActiveOption(editor, active)
  usePlace(editor, list, box, query?.at, matches.length)
  if (active === null) return null
  return (
    <div ref={list} id={LIST} role="listbox" aria-label={t`Insert`} className="menu rise absolute z-20 max-h-72 w-60 overflow-y-auto" onMouseDown={(event) => event.preventDefault() /* keeps the focus */}>
      {matches.map((choice, index) => (
        <Option key={choice.markdown} id={optionId(index)} choice={choice} isActive={index === active} onChoose={() => choose(choice)} />
      ))}
    </div>
  )
}

function Option({ id, choice: { icon: Icon, label, markdown }, isActive, onChoose }: { id: string; choice: BlockChoice; isActive: boolean; onChoose(): void }) {
  const option = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <div ref={option} id={id} role="option" aria-selected={isActive} className={`menu-item cursor-pointer ${isActive ? 'bg-hover' : ''}`} onClick={onChoose}>
      <Icon className="size-4 shrink-0 text-fg3" aria-hidden />
      <span className="truncate">{label}</span>
      <kbd className="ms-auto ps-4 font-mono text-[12px] text-fg3" aria-hidden>
        {markdown}
      </kbd>
    </div>
  )
}

/** Tells screen readers which block is chosen while the focus is in the text. `active`: null while the menu is closed. */
function useActiveOption({ view }: RichEditor, active: number | null): void {
  useEffect(() => {
    const text = view.current?.dom
    if (!text || active === null) return undefined
    text.setAttribute('aria-controls', LIST)
    text.setAttribute('aria-activedescendant', optionId(active))
    return () => ['aria-controls', 'aria-activedescendant'].forEach((name) => text.removeAttribute(name))
  }, [view, active])
}

/** Puts the list below the cursor, or above it where there is no room. */
function usePlace({ view }: RichEditor, list: RefObject<HTMLDivElement | null>, box: RefObject<HTMLDivElement | null>, at: number | undefined, count: number): void {
  useLayoutEffect(() => {
    if (!view.current || !list.current || !box.current || at === undefined) return
    const cursor = view.current.coordsAtPos(at)
    const { top, bottom, left, right } = box.current.getBoundingClientRect()
    const { offsetHeight, offsetWidth } = list.current
    const fits = cursor.bottom + GAP_PX + offsetHeight <= bottom || cursor.top - top < offsetHeight
    const y = fits ? cursor.bottom + GAP_PX : cursor.top - GAP_PX - offsetHeight
    const x = Math.max(left + GAP_PX, Math.min(cursor.left, right - offsetWidth - GAP_PX))
    list.current.style.top = `${y - top + box.current.scrollTop}px`
    list.current.style.left = `${x - left}px`
  }, [view, list, box, at, count])
}
