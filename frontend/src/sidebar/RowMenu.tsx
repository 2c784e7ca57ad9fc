import { useRef, type RefObject } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Archive, ArchiveRestore, ChevronRight, Eye, FileDown, Folder, MoreHorizontal, Pencil, Pin, PinOff, Share2, SquareCheck, Trash2, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { canWrite } from '../api/boot'
import type { ConversationItem } from '../api/generated'
import { startSelection } from '../conversations/selection'
import { archiveConversations, pinConversation, unarchiveConversations } from '../conversations/store'
import { titleOf } from '../conversations/title'
import { openExportDialog } from '../exporting/store'
import { MoveMenuItems } from '../projects/MoveMenuItems'
import { openShareDialog } from '../sharing/store'

type Props = { item: ConversationItem; trigger: RefObject<HTMLButtonElement | null>; onRename(): void; onDelete(): void; onReaders(): void; className?: string }

/** What can be done with one conversation of a list. */
export function RowMenu({ item, trigger, onRename, onDelete, onReaders, className = '' }: Props) {
  const hasChosen = useRef(false)
  const choose = (act: () => void) => () => {
    hasChosen.current = true
    act()
  }
  /** Keeps the focus in the field or the dialog that the menu opened. */
  const closed = (event: Event) => {
    if (hasChosen.current) event.preventDefault()
    hasChosen.current = false
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={trigger} aria-label={t`Options for ${titleOf(item)}`} title={t`Options for ${titleOf(item)}`} className={`icon size-7 data-[state=open]:opacity-100 pointer-coarse:size-11 ${className}`}>
        <MoreHorizontal className="size-4" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise min-w-48" align="start" onCloseAutoFocus={closed}>
          {canWrite && <Item icon={Pencil} label={t`Rename`} onSelect={choose(onRename)} />}
          {canWrite && <Item icon={item.pinned ? PinOff : Pin} label={item.pinned ? t`Unpin` : t`Pin`} onSelect={() => void pinConversation(item, !item.pinned)} />}
          {canWrite && (
            <Sub icon={Folder} label={t`Move to project`}>
              <MoveMenuItems items={[item]} />
            </Sub>
          )}
          {canWrite && <Item icon={Share2} label={t`Share`} onSelect={choose(() => openShareDialog({ of: 'conversation', id: item.id, title: titleOf(item) }, trigger.current))} />}
          <Item icon={FileDown} label={t`Export`} onSelect={choose(() => openExportDialog({ id: item.id, title: titleOf(item) }, trigger.current))} />
          <Item icon={Eye} label={t`Who can read this`} onSelect={choose(onReaders)} />
          {canWrite && <Item icon={SquareCheck} label={t`Select several`} onSelect={choose(() => startSelection(item.id))} />}
          {canWrite && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
          {canWrite && (item.archived ? <Item icon={ArchiveRestore} label={t`Restore`} onSelect={() => void unarchiveConversations([item])} /> : <Item icon={Archive} label={t`Archive`} onSelect={() => void archiveConversations([item])} />)}
          {canWrite && (
            <DropdownMenu.Item className="menu-item text-bad" onSelect={onDelete}>
              <Trash2 className="size-4" aria-hidden />
              <Trans>Delete</Trans>
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Item({ icon: Icon, label, onSelect }: { icon: LucideIcon; label: string; onSelect(): void }) {
  return (
    <DropdownMenu.Item className="menu-item" onSelect={onSelect}>
      <Icon className="size-4 text-fg3" aria-hidden />
      {label}
    </DropdownMenu.Item>
  )
}

function Sub({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: React.ReactNode }) {
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger className="menu-item data-[state=open]:bg-hover">
        <Icon className="size-4 text-fg3" aria-hidden />
        {label}
        <ChevronRight className="ms-auto size-4 text-fg3" aria-hidden />
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent className="menu rise max-h-80 min-w-44 overflow-y-auto" sideOffset={4} collisionPadding={8}>
          {children}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  )
}
