import { memo, useEffect, useRef, useState, type RefObject } from 'react'
import { Eye, FileDown, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { canWrite } from '../api/boot'
import { conversationExportUrl } from '../api/conversationsApi'
import type { ConversationItem } from '../api/generated'
import { downloadUrl } from '../browser/download'
import { renameConversation } from '../conversations/store'
import { titleOf } from '../conversations/title'
import { goToConversation, conversationHref } from '../navigation/router'
import { DeleteDialog } from './DeleteDialog'
import { ReadersDialog } from './ReadersDialog'

type Props = { item: ConversationItem; isOpen: boolean; onChoose: (() => void) | undefined }

type Mode = 'read' | 'rename' | 'delete' | 'readers'

/** After a rename by keyboard the field with the focus is gone, so the menu button of the row gets it. */
function useFocusAfterRename(mode: Mode, menu: RefObject<HTMLButtonElement | null>): void {
  const before = useRef(mode)
  useEffect(() => {
    if (before.current === 'rename' && document.activeElement === document.body) menu.current?.focus()
    before.current = mode
  }, [mode, menu])
}

export const ConversationRow = memo(function ConversationRow({ item, isOpen, onChoose }: Props) {
  const [mode, setMode] = useState<Mode>('read')
  const menu = useRef<HTMLButtonElement>(null)
  useFocusAfterRename(mode, menu)
  const back = () => setMode('read')
  if (mode === 'rename') return <RenameRow item={item} onDone={back} />
  return (
    <li className="group relative">
      <RowLink item={item} isOpen={isOpen} onChoose={onChoose} />
      <RowMenu item={item} trigger={menu} onRename={() => setMode('rename')} onDelete={() => setMode('delete')} onReaders={() => setMode('readers')} />
      {mode === 'readers' && <ReadersDialog item={item} onClose={back} returnTo={menu} />}
      {mode === 'delete' && <DeleteDialog item={item} isOpen={isOpen} onClose={back} returnTo={menu} />}
    </li>
  )
})

/** A real link, so that it can be opened in a new tab. A plain click navigates inside the page. */
function RowLink({ item, isOpen, onChoose }: Props) {
  const follow = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToConversation(item.id)
    onChoose?.()
  }
  return (
    <a href={conversationHref(item.id)} onClick={follow} aria-current={isOpen ? 'page' : undefined} className="side-row pr-9 aria-[current]:bg-press aria-[current]:font-medium aria-[current]:text-fg">
      <span className={item.unread ? 'truncate font-semibold text-fg' : 'truncate'}>{titleOf(item)}</span>
      {item.activeRun && <span className="ml-auto size-1.5 shrink-0 animate-pulse rounded-full bg-accent" role="img" aria-label="Answering" />}
      {item.waiting && item.waiting !== 'client' && <NeedsYou waiting={item.waiting} />}
      {item.waiting === 'client' && <span className="ml-auto size-1.5 shrink-0 rounded-full bg-accent" role="img" aria-label="Waiting for a page" />}
      {item.unread && !item.activeRun && !item.waiting && <span className="ml-auto size-2 shrink-0 rounded-full bg-accent" role="img" aria-label="New answer" />}
    </a>
  )
}

const NEEDS = { approval: 'It asks for your permission to use a tool', reply: 'It waits for your reply' } as const

function NeedsYou({ waiting }: { waiting: keyof typeof NEEDS }) {
  return (
    <span className="ml-auto shrink-0 rounded-full bg-warn-soft px-2 py-px text-[11px] font-semibold text-warn" title={NEEDS[waiting]}>
      Needs you
    </span>
  )
}

const EXPORTS = [
  { format: 'md', label: 'Markdown' },
  { format: 'pdf', label: 'PDF' },
  { format: 'json', label: 'JSON' },
] as const

type MenuProps = { item: ConversationItem; trigger: RefObject<HTMLButtonElement | null>; onRename(): void; onDelete(): void; onReaders(): void }

function RowMenu({ item, trigger, onRename, onDelete, onReaders }: MenuProps) {
  const chosen = useRef(false)
  const choose = (act: () => void) => () => {
    chosen.current = true
    act()
  }
  /** Keeps the focus in the field or the dialog that the menu opened. */
  const closed = (event: Event) => {
    if (chosen.current) event.preventDefault()
    chosen.current = false
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        ref={trigger}
        aria-label={`Options for ${titleOf(item)}`}
        className="icon absolute right-0.5 top-1/2 size-7 -translate-y-1/2 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      >
        <MoreHorizontal className="size-4" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise min-w-40" align="start" onCloseAutoFocus={closed}>
          {canWrite && (
            <DropdownMenu.Item className="menu-item" onSelect={choose(onRename)}>
              <Pencil className="size-4 text-fg3" aria-hidden />
              Rename
            </DropdownMenu.Item>
          )}
          {EXPORTS.map(({ format, label }) => (
            <DropdownMenu.Item key={format} className="menu-item" onSelect={() => downloadUrl(conversationExportUrl(item.id, format))}>
              <FileDown className="size-4 text-fg3" aria-hidden />
              Export as {label}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Item className="menu-item" onSelect={choose(onReaders)}>
            <Eye className="size-4 text-fg3" aria-hidden />
            Who can read this
          </DropdownMenu.Item>
          {canWrite && (
            <DropdownMenu.Item className="menu-item text-bad" onSelect={choose(onDelete)}>
              <Trash2 className="size-4" aria-hidden />
              Delete
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Enter or blur saves the title, Esc keeps the old one. */
function RenameRow({ item, onDone }: { item: ConversationItem; onDone(): void }) {
  const [title, setTitle] = useState(titleOf(item))
  const save = () => {
    const trimmed = title.trim()
    if (trimmed && trimmed !== item.title) void renameConversation(item, trimmed)
    onDone()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter') save()
    if (event.key !== 'Escape') return
    event.preventDefault()
    onDone()
  }
  return (
    <li>
      <input
        autoFocus
        value={title}
        maxLength={200}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
        onBlur={save}
        aria-label="Title of the conversation"
        className="side-row w-full bg-bg text-fg outline-2 -outline-offset-2 outline-accent"
      />
    </li>
  )
}
