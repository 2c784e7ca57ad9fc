// What can be done with the conversations that are chosen.
import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { Plural } from '@lingui/react/macro'
import { Archive, ArchiveRestore, Folder, Trash2, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ConversationItem } from '../api/generated'
import { displayedConversation } from '../navigation/router'
import { focusMessageBox } from '../navigation/shortcuts'
import { MoveMenuItems } from '../projects/MoveMenuItems'
import { endSelection, MOST_SELECTED, useSelection } from './selection'
import { archiveConversations, deleteConversations, unarchiveConversations } from './store'

/** `items`: the list in which they were chosen. */
export default function SelectionBar({ items }: { items: readonly ConversationItem[] }) {
  const selection = useSelection()
  const conversations = items.filter((item) => selection?.has(item.id)).slice(0, MOST_SELECTED)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('[role="menu"], [role="alertdialog"]')) return
      event.preventDefault() // before the listener that stops an answer
      endSelection()
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true })
      setTimeout(() => document.activeElement === document.body && focusMessageBox())
    }
  }, [])
  const then = (act: Promise<unknown>) => void act.then(endSelection)
  const none = conversations.length === 0
  const areArchived = !none && conversations.every((item) => item.archived)
  return (
    <div role="group" aria-label={t`Selected chats`} className="flex h-12 shrink-0 items-center gap-0.5 border-t border-line bg-side px-2">
      <span role="status" className="min-w-0 flex-1 truncate px-1.5 text-[13px] font-medium">
        <Plural value={conversations.length} one="# selected" other="# selected" />
      </span>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="icon" aria-label={t`Move to project`} title={t`Move to project`} disabled={none}>
          <Folder className="size-4" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu rise max-h-80 min-w-48 overflow-y-auto" align="end" side="top">
            <MoveMenuItems items={conversations} onMoved={endSelection} />
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {areArchived ? (
        <button type="button" className="icon" aria-label={t`Restore`} title={t`Restore`} onClick={() => then(unarchiveConversations(conversations))}>
          <ArchiveRestore className="size-4" aria-hidden />
        </button>
      ) : (
        <button type="button" className="icon" aria-label={t`Archive`} title={t`Archive`} disabled={none} onClick={() => then(archiveConversations(conversations))}>
          <Archive className="size-4" aria-hidden />
        </button>
      )}
      <button type="button" className="icon" aria-label={t`Delete`} title={t`Delete`} disabled={none} onClick={() => then(deleteConversations(conversations, displayedConversation()))}>
        <Trash2 className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon" aria-label={t`Stop selecting`} title={t`Clear selection (Esc)`} onClick={endSelection}>
        <X className="size-4" aria-hidden />
      </button>
    </div>
  )
}
