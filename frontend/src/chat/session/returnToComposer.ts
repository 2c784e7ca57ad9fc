import { t } from '@lingui/core/macro'
import { showToast } from '../../ui/toasts'
import type { SessionContext } from './sessionContext'

export const notSent = (): string => t`Your message was not sent. It is back in the message box.`

type Draft = { readonly text: string; readonly fileIds?: readonly string[] }

/** Puts a message back into the message box, above what is written there, so that nothing the user wrote is lost. `reason` is shown, if there is one. */
export function returnToComposer({ state, attachments }: SessionContext, { text, fileIds = [] }: Draft, reason = ''): void {
  const { returnedText } = state.get()
  state.patch({ returnedText: returnedText ? `${returnedText}\n\n${text}` : text })
  if (reason) showToast(reason)
  attachments.restore(fileIds)
}
