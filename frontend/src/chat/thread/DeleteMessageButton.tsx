import { useState } from 'react'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { AlertDialog } from 'radix-ui'
import { focusMessageBox } from '../../navigation/shortcuts'
import type { Session } from '../session/session'

const TITLES = { message: msg`Delete message`, answer: msg`Delete answer` } as const
const QUESTIONS = { message: msg`Delete this message?`, answer: msg`Delete this answer?` } as const

type Props = { messageId: string; what: 'message' | 'answer'; session: Session }

/** Deletes a message with all below it, after a question. */
export function DeleteMessageButton({ messageId, what, session }: Props) {
  const { t } = useLingui()
  const [open, setOpen] = useState(false)
  const remove = () => {
    void session.messages.remove(messageId)
    focusMessageBox()
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={setOpen}>
      <AlertDialog.Trigger className="icon" aria-label={t(TITLES[what])} title={t(TITLES[what])}>
        <Trash2 className="size-3.5" aria-hidden />
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fade fixed inset-0 z-50 bg-black/30" />
        <AlertDialog.Content className="rise fixed left-1/2 top-1/3 z-50 w-[min(26rem,92vw)] -translate-x-1/2 rounded-2xl border border-line bg-raise p-5 shadow-pop">
          <AlertDialog.Title className="text-[16px] font-semibold">{t(QUESTIONS[what])}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-[14px] text-fg2">
            <Trans>Everything below it is deleted, too. Other branches and your documents stay. This cannot be undone.</Trans>
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel className="btn">
              <Trans>Cancel</Trans>
            </AlertDialog.Cancel>
            <AlertDialog.Action className="btn-bad" onClick={remove}>
              <Trans>Delete</Trans>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
