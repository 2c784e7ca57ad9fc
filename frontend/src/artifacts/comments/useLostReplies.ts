import { useEffect, useRef } from 'react'
import { t } from '@lingui/core/macro'
import { copyText } from '../../ui/CopyButton'
import { showToast } from '../../ui/toasts'
import type { Thread } from './threads'
import type { Unsent } from './unsentComments'

const SHOWN_MS = 60_000

/** Hands over what was being written to a thread when somebody deletes it: its field is gone. */
export function useLostReplies(threads: readonly Thread[], unsent: Unsent): void {
  const lastThreads = useRef(threads)
  const newest = useRef(unsent)
  newest.current = unsent
  useEffect(() => {
    const lostThreads = lastThreads.current.filter(({ id }) => !threads.some((thread) => thread.id === id))
    lastThreads.current = threads
    for (const { id } of lostThreads) {
      const text = newest.current.texts[id]?.trim()
      if (!text) continue
      newest.current.write(id, '')
      showToast(t`The comment that you were answering was deleted.`, { label: t`Copy your reply`, act: () => void copyText(text) }, SHOWN_MS)
    }
  }, [threads])
}
