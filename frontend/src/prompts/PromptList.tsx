import { Trans, useLingui } from '@lingui/react/macro'
import { LayoutTemplate, Pencil, Plus } from 'lucide-react'
import { boot } from '../api/boot'
import type { SavedPromptItem } from '../api/generated'
import { goToTemplates } from '../navigation/router'
import { visibleText } from '../plainText/segments'
import { PromptDialog } from './PromptDialog'
import type { Prompts } from './usePrompts'

export const PROMPT_LIST = 'prompt-list'
export const promptOptionId = (prompt: SavedPromptItem): string => `prompt-${prompt.id}`

/** The prompts that the message box asks for, above it, or `below` it where it stands high. The focus stays in the box. */
export function PromptList({ prompts, below }: { prompts: Prompts; below: boolean }) {
  const { t } = useLingui()
  const { matches, failed, edited } = prompts
  const of = (source: SavedPromptItem['source']) => matches?.filter((prompt) => prompt.source === source) ?? []
  const groups = [
    { label: boot.organization.name, items: of('organization') },
    { label: t({ message: 'Mine', context: 'prompts' }), items: of('own') },
    { label: 'Parley', items: of('parley') },
  ]
  return (
    <>
      {matches && (
        <div className={`rise absolute inset-x-0 z-30 flex max-h-[45vh] ${below ? 'top-full mt-2' : 'bottom-full mb-2'} flex-col overflow-hidden rounded-xl border border-line bg-raise shadow-pop`} onMouseDown={(event) => event.preventDefault()}>
          <div id={PROMPT_LIST} role="listbox" tabIndex={0} aria-label={t`Prompts`} className="min-h-0 overflow-y-auto p-1">
            {groups.map(
              ({ label, items }) =>
                items.length > 0 && (
                  <div key={label} role="group" aria-label={visibleText(label)}>
                    <p className="px-2.5 pb-1 pt-2 text-[12px] text-fg3" aria-hidden>
                      {visibleText(label)}
                    </p>
                    {items.map((prompt) => (
                      <Option key={prompt.id} prompt={prompt} prompts={prompts} />
                    ))}
                  </div>
                ),
            )}
          </div>
          {!matches.length && <p className="px-3.5 pb-1.5 pt-1 text-[13px] text-fg3">{failed ? <Trans>The prompts could not be loaded.</Trans> : <Trans>No prompt found.</Trans>}</p>}
          <div className="flex gap-1 border-t border-line p-1">
            <button type="button" className="ghost text-accent" onClick={() => prompts.edit(null)}>
              <Plus className="size-3.5" aria-hidden />
              <Trans>New prompt</Trans>
            </button>
            <EditButton prompts={prompts} />
            <button type="button" className="ghost ms-auto" onClick={() => goToTemplates()}>
              <LayoutTemplate className="size-3.5" aria-hidden />
              <Trans>All templates</Trans>
            </button>
          </div>
        </div>
      )}
      {edited !== undefined && <PromptDialog prompt={edited} onClose={prompts.closeEditor} />}
    </>
  )
}

function Option({ prompt, prompts }: { prompt: SavedPromptItem; prompts: Prompts }) {
  const isActive = prompts.matches?.[prompts.active] === prompt
  return (
    <div id={promptOptionId(prompt)} role="option" aria-selected={isActive} className={`flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-1.5 pointer-coarse:min-h-11 ${isActive ? 'bg-hover' : ''}`} onClick={() => prompts.choose(prompt)}>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[13px] font-medium">{visibleText(prompt.title)}</span>
        <span className="block truncate text-[12px] text-fg3">{visibleText(prompt.text.replace(/\s+/g, ' '))}</span>
      </span>
      {isActive && <kbd className="kbd pointer-coarse:hidden" aria-hidden><Trans>Enter</Trans></kbd>}
    </div>
  )
}

/** Edits the active prompt, if it is the user's own. */
function EditButton({ prompts }: { prompts: Prompts }) {
  const active = prompts.matches?.[prompts.active]
  if (!active?.own) return null
  const title = visibleText(active.title)
  return (
    <button type="button" className="ghost" onClick={() => prompts.edit(active)}>
      <Pencil className="size-3.5" aria-hidden />
      <Trans>Edit “{title}”</Trans>
    </button>
  )
}
