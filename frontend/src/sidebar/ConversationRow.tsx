import { memo, Suspense, useEffect, useRef, useState, type RefObject } from 'react'
import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { Trans } from '@lingui/react/macro'
import { Pin } from 'lucide-react'
import type { ConversationItem } from '../api/generated'
import { SelectBox } from '../conversations/SelectBox'
import { useSelection } from '../conversations/selection'
import { deleteConversations, renameConversation } from '../conversations/store'
import { titleOf } from '../conversations/title'
import { goToConversation, conversationHref } from '../navigation/router'
import { focusMessageBox } from '../navigation/shortcuts'
import { lazyWithRetry } from '../ui/lazyComponent'
import { RowMenu } from './RowMenu'

const ReadersDialog = lazyWithRetry(() => import('./ReadersDialog'))

type Props = { item: ConversationItem; isOpen: boolean; onChoose: (() => void) | undefined }

type Mode = 'read' | 'rename' | 'readers'

/** After a rename by keyboard the field with the focus is gone, so the menu button of the row gets it. */
function useFocusAfterRename(mode: Mode, menu: RefObject<HTMLButtonElement | null>): void {
  const before = useRef(mode)
  useEffect(() => {
    if (before.current === 'rename' && document.activeElement === document.body) menu.current?.focus()
    before.current = mode
  }, [mode, menu])
}

export const ConversationRow = memo(function ConversationRow({ item, isOpen, onChoose }: Props) {
  useLingui() // texts are read where they are drawn: again when the language changes
  const [mode, setMode] = useState<Mode>('read')
  const menu = useRef<HTMLButtonElement>(null)
  useFocusAfterRename(mode, menu)
  const selection = useSelection()
  const back = () => setMode('read')
  if (mode === 'rename') return <RenameRow item={item} onDone={back} />
  const remove = async () => {
    await deleteConversations([item], isOpen ? item.id : undefined)
    if (document.activeElement === document.body) focusMessageBox()
  }
  if (selection) return <SelectBox item={item} isSelected={selection.has(item.id)} className="side-row cursor-pointer has-checked:text-fg" />
  return (
    <li className="group relative">
      <RowLink item={item} isOpen={isOpen} onChoose={onChoose} />
      <RowMenu
        item={item}
        trigger={menu}
        onRename={() => setMode('rename')}
        onDelete={() => void remove()}
        onReaders={() => setMode('readers')}
        className="absolute end-0.5 top-1/2 -translate-y-1/2 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
      />
      {mode === 'readers' && (
        <Suspense fallback={null}>
          <ReadersDialog item={item} onClose={back} returnTo={menu} />
        </Suspense>
      )}
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
    <a href={conversationHref(item.id)} onClick={follow} aria-current={isOpen ? 'page' : undefined} className="side-row pe-9 pointer-coarse:pe-12 aria-[current]:bg-press aria-[current]:font-medium aria-[current]:text-fg">
      {item.pinned && <Pin className="size-3.5 shrink-0 text-fg3" aria-hidden />}
      <span className={item.unread ? 'truncate font-semibold text-fg' : 'truncate'}>{titleOf(item)}</span>
      {item.activeRun && <span className="ms-auto size-1.5 shrink-0 animate-pulse rounded-full bg-accent" role="img" aria-label={t`Answering`} />}
      {item.waiting && item.waiting !== 'client' && <NeedsYou waiting={item.waiting} />}
      {item.waiting === 'client' && <span className="ms-auto size-1.5 shrink-0 rounded-full bg-accent" role="img" aria-label={t`Waiting for a page`} />}
      {item.unread && !item.activeRun && !item.waiting && <span className="ms-auto size-2 shrink-0 rounded-full bg-accent" role="img" aria-label={t`New answer`} />}
    </a>
  )
}

function NeedsYou({ waiting }: { waiting: 'approval' | 'reply' }) {
  return (
    <span className="ms-auto shrink-0 rounded-full bg-warn-soft px-2 py-px text-[11px] font-semibold text-warn" title={waiting === 'approval' ? t`Permission needed` : t`Waiting for your reply`}>
      <Trans>Needs you</Trans>
    </span>
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
        aria-label={t`Title of the conversation`}
        className="side-row w-full bg-bg text-fg outline-2 -outline-offset-2 outline-accent"
      />
    </li>
  )
}
