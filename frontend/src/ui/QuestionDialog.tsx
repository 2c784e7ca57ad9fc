import { useRef, useState, type ReactNode } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { AlertDialog } from 'radix-ui'

type Props = {
  title: string
  says: ReactNode
  /** The words of the button that does it. */
  action: string
  /** The dialog stays until this has ended. */
  onAct(): void | Promise<void>
  onClose(): void
  /** Moves the focus after it was done. Otherwise the focus goes back to where it was. */
  focusAfter(): void
}

/** Asks before something that can't be undone. */
export function QuestionDialog({ title, says, action, onAct, onClose, focusAfter }: Props) {
  const [opener] = useState(() => document.activeElement)
  const [busy, setBusy] = useState(false)
  const isDone = useRef(false)
  const act = async () => {
    if (busy) return
    setBusy(true)
    await onAct()
    isDone.current = true
    onClose()
  }
  const moveFocus = (event: Event) => {
    event.preventDefault()
    if (isDone.current) focusAfter()
    else if (opener instanceof HTMLElement) opener.focus()
  }
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && !busy && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <AlertDialog.Content onCloseAutoFocus={moveFocus} className="rise fixed left-1/2 top-1/3 z-50 w-[min(26rem,92vw)] -translate-x-1/2 rounded-2xl border border-line bg-raise p-5 shadow-pop">
          <AlertDialog.Title className="text-[16px] font-semibold [overflow-wrap:anywhere]">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-[14px] text-fg2">{says}</AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel className="btn">
              <Trans>Cancel</Trans>
            </AlertDialog.Cancel>
            <button type="button" className="btn-bad" aria-busy={busy} onClick={() => void act()}>
              {busy ? t`One moment…` : action}
            </button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
