import { useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { FolderGit2, Lock } from 'lucide-react'
import type { RepositoryItem } from '../api/generated'
import { githubApi } from './githubApi'
import { LoadError } from './LoadError'
import { useRequest, useDebounced } from './useRequest'

type Props = { onChoose(repository: string): void; onLeave(): void }

/** The user's repositories, with a search by name. */
export function Repositories({ onChoose, onLeave }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const query = useDebounced(text.trim())
  const repositories = useRequest(query, () => githubApi.repositories(query))
  const items = repositories.value?.items
  return (
    <>
      <input
        autoFocus
        type="search"
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.target.value)}
        aria-label={t`Search your repositories`}
        placeholder={t`Search your repositories`}
        className="mt-4 block h-10 w-full rounded-xl border border-line2 bg-bg px-3 text-[14px] outline-none focus:border-accent"
      />
      <div className="-mx-2 mt-2 min-h-40 overflow-y-auto">
        {repositories.error && <LoadError text={repositories.error} wantsToken={repositories.wantsToken} onRetry={repositories.retry} onLeave={onLeave} />}
        {!items && !repositories.error && <div role="status" aria-label={t`Asking GitHub`} className="skeleton m-2 h-28" />}
        {items?.length === 0 && <p className="px-2 py-4 text-[14px] text-fg2">{query ? t`You have no repository called ${query}.` : t`You have no repositories yet.`}</p>}
        <ul>{items?.map((item) => <RepositoryRow key={item.name} item={item} onChoose={onChoose} />)}</ul>
      </div>
    </>
  )
}

function RepositoryRow({ item, onChoose }: { item: RepositoryItem; onChoose(repository: string): void }) {
  const { t } = useLingui()
  return (
    <li>
      <button type="button" onClick={() => onChoose(item.name)} className="flex min-h-11 w-full items-center gap-3 rounded-lg px-2 py-1.5 text-start hover:bg-hover">
        <FolderGit2 className="size-4 shrink-0 text-fg3" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-[14px] font-medium">{item.name}</span>
          {item.description && <span className="block truncate text-[12.5px] text-fg2">{item.description}</span>}
        </span>
        {item.private && <Lock className="size-3.5 shrink-0 text-fg3" aria-label={t`Private`} />}
      </button>
    </li>
  )
}
