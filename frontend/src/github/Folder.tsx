import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, File, Folder as FolderIcon } from 'lucide-react'
import type { Attachments } from '../files/attachments'
import { AttachMark } from '../files/AttachDialog'
import { useAttach, type AttachState } from '../files/useAttach'
import { breadcrumbsOf } from './breadcrumbs'
import type { EntryItem } from '../api/generated'
import { githubApi } from './githubApi'
import { ErrorLine } from '../ui/FormDialog'
import { LoadError } from './LoadError'
import { useRequest } from './useRequest'

type Props = { repository: string; attachments: Attachments; onLeaveRepository(): void; onLeave(): void }

/** The folders of a repository. A chosen file is attached to the message. */
export function Folder({ repository, attachments, onLeaveRepository, onLeave }: Props) {
  const { t } = useLingui()
  const [path, setPath] = useState('')
  const folder = useRequest(`${repository}:${path}`, () => githubApi.folder(repository, path))
  const { states, error, attach } = useAttach(attachments)
  const items = folder.value?.items
  return (
    <>
      <BreadcrumbTrail repository={repository} path={path} onOpen={setPath} onLeaveRepository={onLeaveRepository} />
      {error && <ErrorLine text={error} />}
      <div className="-mx-2 mt-2 min-h-40 overflow-y-auto">
        {folder.error && <LoadError text={folder.error} wantsToken={folder.wantsToken} onRetry={folder.retry} onLeave={onLeave} />}
        {!items && !folder.error && <div role="status" aria-label={t`Asking GitHub`} className="skeleton m-2 h-28" />}
        {items?.length === 0 && <p className="px-2 py-4 text-[14px] text-fg2"><Trans>This folder is empty.</Trans></p>}
        <ul>
          {items?.map((item) => (
            <Row key={item.path} item={item} state={states[item.path]} onOpen={() => (item.kind === 'dir' ? setPath(item.path) : void attach(item.path, item.path, () => githubApi.attach(repository, item.path)))} />
          ))}
        </ul>
      </div>
    </>
  )
}

type BreadcrumbTrailProps = { repository: string; path: string; onOpen(path: string): void; onLeaveRepository(): void }

function BreadcrumbTrail({ repository, path, onOpen, onLeaveRepository }: BreadcrumbTrailProps) {
  const { t } = useLingui()
  const way = breadcrumbsOf(repository, path)
  return (
    <nav aria-label={t`Folder`} className="mt-4 flex flex-wrap items-center gap-0.5 text-[13.5px]">
      <button type="button" className="ghost" onClick={onLeaveRepository}>
        <Trans>Repositories</Trans>
      </button>
      {way.map((crumb) => (
        <span key={crumb.path} className="flex min-w-0 items-center gap-0.5">
          <ChevronRight className="size-3.5 shrink-0 text-fg3" aria-hidden />
          <button type="button" className="ghost max-w-56 aria-[current]:text-fg" aria-current={crumb.path === path || undefined} onClick={() => onOpen(crumb.path)}>
            <span className="truncate">{crumb.label}</span>
          </button>
        </span>
      ))}
    </nav>
  )
}

function Row({ item, state, onOpen }: { item: EntryItem; state: AttachState; onOpen(): void }) {
  const isFolder = item.kind === 'dir'
  const Icon = isFolder ? FolderIcon : File
  return (
    <li>
      <button
        type="button"
        disabled={!isFolder && item.kind !== 'file'}
        onClick={onOpen}
        className="flex min-h-10 w-full items-center gap-3 rounded-lg px-2 py-1.5 text-start text-[14px] hover:bg-hover disabled:opacity-40"
      >
        <Icon className="size-4 shrink-0 text-fg3" aria-hidden />
        <span className="min-w-0 flex-1 truncate">{item.name}</span>
        {!isFolder && <AttachMark state={state} sizeBytes={item.sizeBytes} />}
      </button>
    </li>
  )
}
