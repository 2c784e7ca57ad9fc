// How a visitor who is a member keeps the conversation: on a page of ours, where they sign in (embed/transfer/page.py).
import { t } from '@lingui/core/macro'
import { ApiError, errorMessage, request } from '../api/client'
import { conversationsApi } from '../api/conversationsApi'
import type { VisitorTransfer } from '../api/generated'
import type { Session } from '../chat/session/session'
import { showToast } from '../ui/toasts'
import { leaveConversation, visit } from './visit'

/** Signs that the visitor is back from that page. */
const RETURNS = ['visibilitychange', 'focusin', 'pointerdown'] as const
const CHECK_EVERY_MS = 3000
/** How long the page's address works (embed/transfer/codes.py). */
const PAGE_LIFE_MS = 10 * 60_000

/** The conversation that may be taken along, and until when. */
let pending: { readonly session: Session; readonly until: number } | undefined
let checkedAt = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens that page in a window of its own. */
export async function openTransfer(session: Session): Promise<void> {
  const tab = window.open('', '_blank') // at once, or the browser takes it for a pop-up
  try {
    if (!tab) throw new ApiError(0, 'no_window', t`Your browser blocked the window. Allow pop-ups for this page, then try again.`)
    const { url } = await request<VisitorTransfer>('POST', 'transfer/')
    tab.opener = null
    tab.location.href = url
    pending = { session, until: Date.now() + PAGE_LIFE_MS }
    RETURNS.forEach((name) => document.addEventListener(name, onReturn))
  } catch (error) {
    tab?.close()
    showToast(errorMessage(error))
  }
}

function forgetPending(): void {
  pending = undefined
  RETURNS.forEach((name) => document.removeEventListener(name, onReturn))
}

function onReturn(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void checkPending(), checkedAt + CHECK_EVERY_MS - Date.now())
}

/** Looks whether the conversation was taken along. An answer under way is shown to its end. */
async function checkPending(): Promise<void> {
  if (!pending || document.hidden) return
  const { session, until } = pending
  const isShown = () => visit.get().session === session
  if (!isShown()) return forgetPending()
  if (session.busy) return
  checkedAt = Date.now()
  const isTransferred = await isGone(session.id)
  if (isTransferred || checkedAt > until) forgetPending()
  if (!isTransferred || !isShown()) return
  leaveConversation(session)
  showToast(t`Your conversation is in your account now.`)
}

/** Whether the visitor has no such conversation any more. While the server can't say, it counts as there. */
const isGone = (id: string): Promise<boolean> =>
  conversationsApi.get(id, undefined, 1).then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 404,
  )
