// What was made in the chats of a project. A click opens its chat with it.
import { useCallback, useEffect, useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { ArtifactListItem } from '../api/generated'
import { kindOf } from '../artifacts/kinds'
import { conversationHref, goToConversation } from '../navigation/router'
import { PlainText } from '../plainText/PlainText'
import { relativeTime } from '../ui/relativeTime'
import { projectsApi } from './projectsApi'

/** `cursor` undefined: nothing is known yet; null: there are no more. */
type Documents = { readonly items: readonly ArtifactListItem[]; readonly cursor: string | null | undefined }

const NONE: Documents = { items: [], cursor: undefined }

function useDocuments(projectId: string) {
  const [documents, setDocuments] = useState(NONE)
  const [error, setError] = useState('')
  const load = useCallback(
    async (cursor: string | null) => {
      setError('')
      try {
        const page = await projectsApi.artifacts(projectId, cursor)
        setDocuments((list) => ((list.cursor ?? null) === cursor ? { items: [...list.items, ...page.items], cursor: page.nextCursor } : list)) // two clicks ask for the same page
      } catch (problem) {
        setError(errorMessage(problem))
      }
    },
    [projectId],
  )
  useEffect(() => void load(null), [load])
  return { ...documents, error, loadMore: () => void load(documents.cursor ?? null) }
}

export function ProjectDocuments({ projectId }: { projectId: string }) {
  const { items, cursor, error, loadMore } = useDocuments(projectId)
  if (error)
    return (
      <div role="alert" className="alert-bad mt-3">
        <p className="min-w-0 flex-1">{error}</p>
        <button type="button" className="btn" onClick={loadMore}>
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  if (cursor === undefined) return <div role="status" aria-label={t`Loading documents`} className="skeleton m-3 h-20" />
  if (items.length === 0) return <p className="py-6 text-[14px] text-fg3"><Trans>Documents, programs, diagrams and sheets of these chats will show here.</Trans></p>
  return (
    <>
      <ul aria-label={t`Documents of this project`} className="-mx-3">
        {items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
      {cursor && (
        <button type="button" className="ghost mt-3" onClick={loadMore}>
          <Trans>Show more</Trans>
        </button>
      )}
    </>
  )
}

function Row({ item: { id, conversationId, title, kind, latestVersion, updatedAt } }: { item: ArtifactListItem }) {
  const { i18n } = useLingui()
  const { icon: Icon, name } = kindOf(kind)
  const place = { artifactId: id }
  const follow = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToConversation(conversationId, place)
  }
  return (
    <li>
      <a href={conversationHref(conversationId, place)} onClick={follow} className="flex min-h-13 items-center gap-3 rounded-xl px-3 hover:bg-hover">
        <Icon className="size-4.5 shrink-0 text-fg3" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-[14px] font-medium">
            <PlainText text={title} prose />
          </span>
          <span className="block truncate text-[12.5px] text-fg3">
            {i18n._(name)} ·{' '}
            {plural(latestVersion, { one: '# version', other: '# versions' })}
          </span>
        </span>
        <span className="shrink-0 text-[12.5px] text-fg3">{relativeTime(Date.parse(updatedAt), Date.now())}</span>
      </a>
    </li>
  )
}
