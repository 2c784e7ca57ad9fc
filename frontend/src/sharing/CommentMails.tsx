import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { boot } from '../api/boot'
import { errorMessage, request } from '../api/client'
import type { Me } from '../api/generated'
import { SettingRow } from '../ui/SettingRow'
import { createStore, useStore } from '../ui/store'
import { showToast } from '../ui/toasts'

const wanted = createStore(boot.commentMails)

/** Whether the member gets mails about comments. */
export function CommentMails() {
  const isOn = useStore(wanted)
  const [busy, setBusy] = useState(false)
  const change = async () => {
    setBusy(true)
    try {
      wanted.set((await request<Me>('PATCH', 'me/', { commentMails: !isOn })).commentMails)
    } catch (error) {
      showToast(errorMessage(error))
    }
    setBusy(false)
  }
  return (
    <SettingRow title={t`E-mails about comments`} says={t`On what you share by link, and on what you commented on.`}>
      <button type="button" role="switch" aria-checked={isOn} aria-label={t`E-mails about comments`} disabled={busy} onClick={() => void change()} className="grid min-h-8 place-items-center rounded-full pointer-coarse:min-h-11">
        <span className="switch" data-on={isOn} aria-hidden />
      </button>
    </SettingRow>
  )
}
