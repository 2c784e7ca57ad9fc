import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ArtifactComments } from '../../api/generated'
import { shareChanges } from '../../sharing/opened/changes'
import { useStore } from '../../ui/store'
import { artifactsApi } from '../artifactsApi'
import { openThreads, type Thread } from './threads'

/** `shareId`: the link that new comments belong to. Null: there is nobody to read them, or this member may not write any. */
export type CommentsOfDocument = { readonly threads: readonly Thread[]; readonly shareId: string | null; reload(): Promise<void> }

const NONE: ArtifactComments = { shareId: null, items: [] }

/** The open threads of a document; read again whenever the server reports that a link changed. */
export function useComments(artifactId: string): CommentsOfDocument {
  const [listed, setListed] = useState(NONE)
  const changes = useStore(shareChanges)
  const reload = useCallback(async () => setListed(await artifactsApi.comments(artifactId)), [artifactId])
  useEffect(() => {
    reload().catch(() => undefined) // what was read before stays; the document can be written without its comments
  }, [reload, changes])
  return { threads: useMemo(() => openThreads(listed.items), [listed]), shareId: listed.shareId, reload }
}
