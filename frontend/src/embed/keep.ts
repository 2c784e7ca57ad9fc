// How a visitor who is a member keeps the conversation: on a page of ours, where they sign in (embed/transfer/page.py).
import { t } from '@lingui/core/macro'
import { ApiError, errorMessage, request } from '../api/client'
import type { VisitorTransfer } from '../api/generated'
import { showToast } from '../ui/toasts'
import { beginSession } from './access'
import { letGo, visit } from './visit'

/** Signs that the visitor is back from that page. */
const RETURNS = ['visibilitychange', 'focusin', 'pointerdown'] as const
const LOOK_EVERY_MS = 3000

let isExpecting = false
let lookedAt = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens that page in a window of its own. */
export async function keep(): Promise<void> {
  const opened = window.open('', '_blank') // at once, or the browser takes it for a pop-up
  try {
    if (!opened) throw new ApiError(0, 'no_window', t`Your browser did not open a window. Allow it, and try again.`)
    const { url } = await request<VisitorTransfer>('POST', 'transfer/')
    opened.opener = null
    opened.location.href = url
    expectTransfer()
  } catch (error) {
    opened?.close()
    showToast(errorMessage(error))
  }
}

function expectTransfer(): void {
  if (isExpecting) return
  isExpecting = true
  RETURNS.forEach((name) => document.addEventListener(name, onReturn))
}

function onReturn(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void look().catch(() => undefined), lookedAt + LOOK_EVERY_MS - Date.now())
}

/** Looks whether the conversation was taken along. An answer under way is shown to its end. */
async function look(): Promise<void> {
  const { session } = visit.get()
  if (document.hidden || !session || session.busy) return
  lookedAt = Date.now()
  const { conversationId } = await beginSession()
  if (conversationId === session.id || visit.get().session !== session) return
  RETURNS.forEach((name) => document.removeEventListener(name, onReturn))
  isExpecting = false
  letGo(session)
  showToast(t`Your conversation is in your account now.`)
}
