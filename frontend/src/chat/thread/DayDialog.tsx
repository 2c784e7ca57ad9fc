import { useEffect, useId, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FormDialog } from '../../ui/FormDialog'
import { showToast } from '../../ui/toasts'
import type { Session } from '../session/session'

type Props = { session: Session; onShow(messageId: string): void; onClose(): void }

/** Asks for a day and shows the first message of it, or of the next day on which something was written. */
export function DayDialog({ session, onShow, onClose }: Props) {
  const [day, setDay] = useState('')
  const [busy, setBusy] = useState(false)
  const isOpen = useRef(true)
  const isShown = useRef(false)
  const id = useId()
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const submit = async () => {
    const date = new Date(`${day}T00:00`)
    setBusy(true)
    const message = await session.older.loadSince(date, () => isOpen.current)
    setBusy(false)
    if (!message) return
    isShown.current = true
    onClose()
    onShow(message.id)
    if (new Date(message.metadata?.createdAt ?? '').toDateString() !== date.toDateString()) showToast(t`Nothing was written on that day. This is the next message.`)
  }
  return (
    <FormDialog
      title={t`Go to a day`}
      says={t`Shows the first message of that day.`}
      onClose={onClose}
      onSubmit={() => void submit()}
      onCloseAutoFocus={(event) => isShown.current && event.preventDefault()} // the messages have the focus then
    >
      <label htmlFor={id} className="mt-4 block text-[13px] font-medium">
        <Trans>Day</Trans>
      </label>
      <input id={id} type="date" required autoFocus max={dateValue(new Date())} value={day} onChange={(event) => setDay(event.target.value)} className="field mt-1" />
      <div className="mt-5 flex justify-end gap-2">
        <button type="button" className="btn" onClick={onClose}>
          <Trans>Cancel</Trans>
        </button>
        <button type="submit" className="btn-primary" disabled={busy}>
          <Trans>Go</Trans>
        </button>
      </div>
    </FormDialog>
  )
}

/** The local day as a field of the type `date` has it. */
const dateValue = (date: Date): string => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
