import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/client'
import type { ArtifactComments } from '../../api/generated'
import { shareChanges } from '../../sharing/opened/changes'
import { useStore } from '../../ui/store'
import { artifactsApi } from '../artifactsApi'
import { threadsOf, type Thread } from './threads'

/** `shareId`: the link that new comments belong to. Null: there is nobody to read them, or this member may not write any. */
export type CommentsOfDocument = { readonly threads: readonly Thread[]; readonly shareId: string | null; reload(): Promise<void> }

const NONE: ArtifactComments = { shareId: null, items: [] }

/** Nothing for a member who may not edit the document any more. */
const commentsOf = (artifactId: string): Promise<ArtifactComments> =>
  artifactsApi.comments(artifactId).catch((problem: unknown) => {
    if (problem instanceof ApiError && problem.status === 404) return NONE
    throw problem
  })

/** The threads of a document; read again whenever the server reports that a link changed. */
export function useComments(artifactId: string): CommentsOfDocument {
  const [comments, setComments] = useState(NONE)
  const changes = useStore(shareChanges)
  const reads = useRef({ newest: 0, onScreen: 0 })
  const reload = useCallback(async () => {
    const number = ++reads.current.newest
    const read = await commentsOf(artifactId).catch(() => null) // what was read before stays; the document can be written without its comments
    if (!read || number < reads.current.onScreen) return // a later one was faster
    reads.current.onScreen = number
    setComments(read)
  }, [artifactId])
  useEffect(() => {
    void reload()
  }, [reload, changes])
  return { threads: useMemo(() => threadsOf(comments.items), [comments]), shareId: comments.shareId, reload }
}
