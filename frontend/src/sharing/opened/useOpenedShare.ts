import { useCallback, useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../../api/client'
import type { OpenedShare } from '../../api/generated'
import { useStore } from '../../ui/store'
import { sharingApi } from '../sharingApi'
import { changesOf, shareChanges } from './changes'

export type ShareState = { readonly share?: OpenedShare; readonly isGone?: boolean; readonly error?: string }

/** What the link shows; read again whenever the server reports a change, so that an ended right ends here, too. */
export function useOpenedShare(id: string): [ShareState, () => void] {
  const [opened, setOpened] = useState<ShareState>({})
  const [asked, setAsked] = useState(0)
  const changes = changesOf(useStore(shareChanges), id)
  useEffect(() => {
    let isStale = false
    sharingApi.open(id).then(
      (share) => !isStale && setOpened({ share }),
      (problem: unknown) => {
        if (isStale) return
        if (problem instanceof ApiError && problem.status === 404) setOpened({ isGone: true })
        else setOpened((before) => ({ ...before, error: errorMessage(problem) }))
      },
    )
    return () => {
      isStale = true
    }
  }, [id, changes, asked])
  return [opened, useCallback(() => setAsked((times) => times + 1), [])]
}
