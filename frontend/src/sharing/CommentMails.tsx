import { t } from '@lingui/core/macro'
import { choose, useChoices } from '../preferences/choices'
import { SwitchRow } from '../ui/SwitchRow'

/** Whether the member gets mails about comments. */
export function CommentMails() {
  const { commentMails } = useChoices()
  return <SwitchRow title={t`E-mails about comments`} says={t`On what you share by link, and on what you commented on.`} isOn={commentMails} onFlip={() => choose({ commentMails: !commentMails })} />
}
