import { useEffect, useState } from 'react'
import type { Notice } from '../../api/messageTypes'
import type { Session } from '../session/session'

const MAX_MS = 600_000
const TICK_MS = 250
/** So often the page asks the same question again by itself. Then the user decides. */
const MAX_TRIES = 3

/** By the question's id. */
const tries = new Map<string, number>()

const questionId = (session: Session): string => session.chat.messages.findLast((message) => message.role === 'user')?.id ?? ''

export type RetryCountdown = { readonly seconds: number; readonly share: number }

/** Retries the answer when the time has come that the provider named. Null: nothing is waited for. Only the visible page retries. */
export function useRetryCountdown({ action, retryAt }: Notice, session: Session | undefined): RetryCountdown | null {
  const end = action === 'retry' && session && retryAt ? Date.parse(retryAt) : NaN
  const [start] = useState(() => Date.now())
  const [now, setNow] = useState(start)
  const waits = end > start && end - start < MAX_MS && session !== undefined && (tries.get(questionId(session)) ?? 0) < MAX_TRIES
  useEffect(() => {
    if (!waits) return undefined
    const tick = () => {
      setNow(Date.now())
      if (Date.now() < end || document.visibilityState !== 'visible') return
      clearInterval(timer)
      const question = questionId(session)
      tries.set(question, (tries.get(question) ?? 0) + 1)
      void session.retry()
    }
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [waits, end, session])
  if (!waits) return null
  const leftMs = Math.max(0, end - now)
  return { seconds: Math.ceil(leftMs / 1000), share: leftMs / (end - start) }
}
