import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, ChevronRight, File, Folder as FolderIcon, Loader } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { Attachments } from '../files/attachments'
import { formatSize } from '../files/fileParts'
import { breadcrumbsOf } from './breadcrumbs'
import type { EntryItem } from '../api/generated'
import { githubApi } from './githubApi'
import { LoadError } from './LoadError'
import { useRequest } from './useRequest'

type Props = { repository: string; attachments: Attachments; onLeaveRepository(): void; onLeave(): void }

/** The folders of a repository. A chosen file is attached to the message. */
export function Folder({ repository, attachments, onLeaveRepository, onLeave }: Props) {
  const { t } = useLingui()
  const [path, setPath] = useState('')
  const folder = useRequest(`${repository}:${path}`, () => githubApi.folder(repository, path))
  const { states, error, attach } = useAttachFile(repository, attachments)
  const items = folder.value?.items
  return (
    <>
      <BreadcrumbTrail repository={repository} path={path} onOpen={setPath} onLeaveRepository={onLeaveRepository} />
      {error && (
        <p role="alert" className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
          {error}
        </p>
      )}
      <div className="-mx-2 mt-2 min-h-40 overflow-y-auto">
        {folder.error && <LoadError text={folder.error} wantsToken={folder.wantsToken} onRetry={folder.retry} onLeave={onLeave} />}
        {!items && !folder.error && <div role="status" aria-label={t`Asking GitHub`} className="skeleton m-2 h-28" />}
        {items?.length === 0 && <p className="px-2 py-4 text-[14px] text-fg2"><Trans>This folder is empty.</Trans></p>}
        <ul>
          {items?.map((item) => (
            <Row key={item.path} item={item} state={states[item.path]} onOpen={() => (item.kind === 'dir' ? setPath(item.path) : void attach(item.path))} />
          ))}
        </ul>
      </div>
    </>
  )
}

type State = 'busy' | 'attached' | undefined

/** The paths of files that are being attached, and the error of the last one. */
function useAttachFile(repository: string, attachments: Attachments) {
  const [states, setStates] = useState<Record<string, State>>({})
  const [error, setError] = useState('')
  const attach = async (path: string) => {
    if (states[path]) return
    setError('')
    setStates((all) => ({ ...all, [path]: 'busy' }))
    try {
      const item = await githubApi.attach(repository, path)
      attachments.restore([item.id])
      setStates((all) => ({ ...all, [path]: 'attached' }))
    } catch (problem) {
      setError(`${path}: ${errorMessage(problem)}`)
      setStates((all) => ({ ...all, [path]: undefined }))
    }
  }
  return { states, error, attach }
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

function Row({ item, state, onOpen }: { item: EntryItem; state: State; onOpen(): void }) {
  const { t } = useLingui()
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
        {!isFolder && !state && <span className="shrink-0 text-[12.5px] text-fg2">{formatSize(item.sizeBytes)}</span>}
        {state === 'busy' && <Loader className="size-4 shrink-0 animate-spin text-fg3 motion-reduce:animate-none" aria-label={t`Attaching`} />}
        {state === 'attached' && (
          <span role="status" className="flex shrink-0 items-center gap-1 text-[12.5px] text-fg2">
            <Check className="size-3.5 text-ok" aria-hidden />
            <Trans>Attached</Trans>
          </span>
        )}
      </button>
    </li>
  )
}
