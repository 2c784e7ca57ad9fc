// A conversation in the list of a page: the archive, or a project.
import { Suspense, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import type { ConversationItem } from '../api/generated'
import { conversationHref, displayedConversation, goToConversation } from '../navigation/router'
import { lazyWithRetry } from '../ui/lazyComponent'
import { relativeTime } from '../ui/relativeTime'
import { RowMenu } from '../sidebar/RowMenu'
import { SelectBox } from './SelectBox'
import { useSelection } from './selection'
import { deleteConversations, renameConversation } from './store'
import { titleOf } from './title'

const ReadersDialog = lazyWithRetry(() => import('../sidebar/ReadersDialog'))

export function ListRow({ item, children }: { item: ConversationItem; children?: React.ReactNode }) {
  const [mode, setMode] = useState<'read' | 'rename' | 'readers'>('read')
  const menu = useRef<HTMLButtonElement>(null)
  const selection = useSelection()
  const back = () => setMode('read')
  if (selection) return <SelectBox item={item} isSelected={selection.has(item.id)} className="flex min-h-11 cursor-pointer items-center gap-3 rounded-xl px-3 text-[14px] font-medium hover:bg-hover" />
  if (mode === 'rename') return <RenameField item={item} onDone={back} />
  const follow = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToConversation(item.id)
  }
  return (
    <li className="flex min-h-11 items-center gap-2 rounded-xl ps-3 pe-1.5 hover:bg-hover">
      <a href={conversationHref(item.id)} onClick={follow} className="flex min-w-0 flex-1 items-center gap-2 self-stretch rounded-lg">
        <span className={`truncate text-[14px] ${item.unread ? 'font-semibold' : 'font-medium'}`}>{titleOf(item)}</span>
        {item.waiting && item.waiting !== 'client' && <span className="shrink-0 rounded-full bg-warn-soft px-2 py-px text-[11px] font-semibold text-warn"><Trans>Needs you</Trans></span>}
        {item.unread && <span className="size-2 shrink-0 rounded-full bg-accent" role="img" aria-label={t`New answer`} />}
      </a>
      <span className="shrink-0 text-[12.5px] text-fg3">{relativeTime(Date.parse(item.updatedAt), Date.now())}</span>
      {children}
      <RowMenu
        item={item}
        trigger={menu}
        onRename={() => setMode('rename')}
        onDelete={() => void deleteConversations([item], displayedConversation())}
        onReaders={() => setMode('readers')}
      />
      {mode === 'readers' && (
        <Suspense fallback={null}>
          <ReadersDialog item={item} onClose={back} returnTo={menu} />
        </Suspense>
      )}
    </li>
  )
}

/** Enter or blur saves the title, Esc keeps the old one. */
function RenameField({ item, onDone }: { item: ConversationItem; onDone(): void }) {
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
      <input autoFocus value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} onFocus={(event) => event.target.select()} onKeyDown={onKeyDown} onBlur={save} aria-label={t`Title of the conversation`} className="field" />
    </li>
  )
}
