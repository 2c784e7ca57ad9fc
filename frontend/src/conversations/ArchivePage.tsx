// The archive: conversations that were put away. They can be opened, restored and deleted.
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Archive, ArchiveRestore, SquareCheck } from 'lucide-react'
import { canWrite } from '../api/boot'
import { ListRow } from './ListRow'
import SelectionBar from './SelectionBar'
import { startSelection, useSelection } from './selection'
import { unarchiveConversations, useConversations } from './store'
import { sidebarItems } from './list'
import { titleOf } from './title'
import { useList } from './useList'

export default function ArchivePage() {
  const list = useList({ archived: 'true' }, (item) => item.archived)
  const isChoosing = useSelection() !== null
  const others = sidebarItems(useConversations().items)
  const isEmpty = list.items.length === 0 && !list.isLoading && !list.error
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={t`Archive`}>
        <div className="mx-auto w-full max-w-[760px] px-5 pb-12 pt-8 max-sm:px-3 max-sm:pt-3">
          <div className="flex items-center gap-3 pb-4">
            <h2 className="text-[24px] font-[680] tracking-[-0.026em]"><Trans>Archive</Trans></h2>
            {canWrite && list.items.length > 0 && !isChoosing && (
              <button type="button" className="btn ms-auto" onClick={() => startSelection()}>
                <SquareCheck className="size-4" aria-hidden />
                <Trans>Select several</Trans>
              </button>
            )}
          </div>
          <ul>
            {list.items.map((item) => (
              <ListRow key={item.id} item={item}>
                {canWrite && (
                  <button type="button" className="icon" aria-label={t`Restore ${titleOf(item)}`} title={t`Restore`} onClick={() => void unarchiveConversations([item])}>
                    <ArchiveRestore className="size-4" aria-hidden />
                  </button>
                )}
              </ListRow>
            ))}
          </ul>
          {isEmpty && (
            <div className="flex flex-col items-center gap-2 py-16 text-center text-[14px] text-fg2">
              <Archive className="size-8 text-fg3" aria-hidden />
              <p className="font-medium text-fg"><Trans>Nothing is archived</Trans></p>
              <p className="max-w-96"><Trans>Archive a chat to take it out of your list. Search still finds it, and a new message brings it back.</Trans></p>
            </div>
          )}
          <MoreOfList list={list} />
        </div>
      </div>
      {isChoosing && <SelectionBar items={[...list.items, ...others]} />}
    </>
  )
}

/** The end of a list: more to load, or why it could not be loaded. */
export function MoreOfList({ list }: { list: ReturnType<typeof useList> }) {
  if (list.error) {
    return (
      <div role="alert" className="alert-bad mt-3">
        <p className="min-w-0 flex-1">{list.error}</p>
        <button type="button" className="btn" onClick={list.loadMore}>
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  }
  if (list.isLoading && list.items.length === 0) {
    return (
      <div role="status" aria-label={t`Loading conversations`} className="space-y-5 px-3 py-4">
        {['w-2/3', 'w-1/2', 'w-3/5'].map((width) => (
          <div key={width} className={`skeleton h-3.5 ${width}`} />
        ))}
      </div>
    )
  }
  if (!list.hasMore) return null
  return (
    <button type="button" className="ghost mt-3" disabled={list.isLoading} onClick={list.loadMore}>
      <Trans>Show more</Trans>
    </button>
  )
}
