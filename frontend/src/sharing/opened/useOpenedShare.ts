import { useCallback, useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../../api/client'
import type { OpenedShare } from '../../api/generated'
import { useStore } from '../../ui/store'
import { sharingApi } from '../sharingApi'
import { changesOf, shareChanges } from './changes'

export type ShareState = { readonly share?: OpenedShare; readonly isGone?: boolean; readonly error?: string }

/** What the link shows; read again whenever the server reports a change, so that an ended right ends here, too. */
export function useOpenedShare(id: string): [ShareState, () => void] {
  const [state, setState] = useState<ShareState>({})
  const [attempt, setAttempt] = useState(0)
  const changes = changesOf(useStore(shareChanges), id)
  useEffect(() => {
    let isStale = false
    sharingApi.open(id).then(
      (share) => !isStale && setState({ share }),
      (problem: unknown) => {
        if (isStale) return
        if (problem instanceof ApiError && problem.status === 404) setState({ isGone: true })
        else setState((before) => ({ ...before, error: errorMessage(problem) }))
      },
    )
    return () => {
      isStale = true
    }
  }, [id, changes, attempt])
  return [state, useCallback(() => setAttempt((times) => times + 1), [])]
}
