import { useState } from 'react'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { focusMessageBox } from '../../navigation/shortcuts'
import { QuestionDialog } from '../../ui/QuestionDialog'
import type { Session } from '../session/session'

const TITLES = { message: msg`Delete message`, answer: msg`Delete answer` } as const
const QUESTIONS = { message: msg`Delete this message?`, answer: msg`Delete this answer?` } as const

/** `isLast`: nothing is below the message. */
type Props = { messageId: string; what: 'message' | 'answer'; session: Session; isLast?: boolean }

/** Deletes a message with all below it, after a question. */
export function DeleteMessageButton({ messageId, what, session, isLast = false }: Props) {
  const { t } = useLingui()
  const [open, setOpen] = useState(false)
  const stays = t`Other branches and your documents stay. This cannot be undone.`
  return (
    <>
      <button type="button" className="icon" data-state={open ? 'open' : 'closed'} aria-haspopup="dialog" aria-label={t(TITLES[what])} title={t(TITLES[what])} onClick={() => setOpen(true)}>
        <Trash2 className="size-3.5" aria-hidden />
      </button>
      {open && (
        <QuestionDialog
          title={t(QUESTIONS[what])}
          says={isLast ? stays : `${t`Everything below it is deleted, too.`} ${stays}`}
          action={t`Delete`}
          onAct={() => void session.messages.remove(messageId)}
          onClose={() => setOpen(false)}
          focusAfter={focusMessageBox}
        />
      )}
    </>
  )
}
