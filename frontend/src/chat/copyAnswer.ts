import { t } from '@lingui/core/macro'
import { copiedHtml } from '../markdown/copiedHtml'
import { copyText } from '../ui/CopyButton'
import { showToast } from '../ui/toasts'
import { textOf } from './messageText'
import type { Session } from './session/session'

/** Copies the newest answer of a chat, and says so. */
export async function copyNewestAnswer(session: Session): Promise<void> {
  const answer = session.chat.messages.findLast(({ role }) => role === 'assistant')
  const text = answer ? textOf(answer) : ''
  if (text && (await copyText(text, copiedHtml(text)))) showToast(t`The answer is copied.`)
}
