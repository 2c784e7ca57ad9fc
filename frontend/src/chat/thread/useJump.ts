import { useEffect, useLayoutEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import type { ChatMessage } from '../../api/messageTypes'
import { useRoute } from '../../navigation/router'
import { showToast } from '../../ui/toasts'
import type { MessagePlaceHere } from '../session/olderMessages'
import type { Session } from '../session/session'
import type { ThreadView } from './threadView'

/** How long a message to which the page jumped stands out. */
const FLASH_MS = 1000

export type Jump = {
  /** The message that stands out now; empty: none. */
  readonly flashing: string
  /** The message that the address names, if another branch has it; empty: none. */
  readonly elsewhere: string
  dismiss(): void
  /** Shows a message that is here. */
  show(messageId: string): void
}

/** Shows the message that the address names, which may have to be loaded first. A message of another branch is only announced: looking for it must not change what is shown. */
export function useJump(session: Session, messages: readonly ChatMessage[], view: ThreadView): Jump {
  const route = useRoute()
  const [target, setTarget] = useState('')
  const [flashing, setFlashing] = useState('')
  const [elsewhere, setElsewhere] = useState('')
  const { list, box, leaveEnd } = view
  useEffect(() => {
    setElsewhere('')
    if (route.page !== 'conversation' || route.id !== session.id || !route.messageId) return undefined
    const { messageId } = route
    let isStale = false
    const show = (place: MessagePlaceHere) => {
      if (isStale) return
      if (place === 'here') setTarget(messageId)
      else if (place === 'elsewhere') setElsewhere(messageId)
      else if (place === 'nowhere') showToast(t`This message is no longer in the chat.`)
    }
    void session.older.loadUpTo(messageId).then(show)
    return () => {
      isStale = true
    }
  }, [route, session])

  // The other branch may be shown meanwhile.
  const targetId = target || elsewhere
  const index = targetId ? messages.findIndex((message) => message.id === targetId) : -1
  useLayoutEffect(() => {
    if (index < 0) return
    leaveEnd()
    list.current?.scrollToIndex(index, { align: 'start', offset: -72 })
    box.current?.focus({ preventScroll: true })
    setTarget('')
    setElsewhere('')
    setFlashing(targetId)
  }, [index, targetId, leaveEnd, list, box])

  useEffect(() => {
    if (!flashing) return undefined
    const timer = setTimeout(() => setFlashing(''), FLASH_MS)
    return () => clearTimeout(timer)
  }, [flashing])

  return { flashing, elsewhere, dismiss: () => setElsewhere(''), show: setTarget }
}
