import type { ReactNode } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, Loader } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { focusMessageBox } from '../navigation/shortcuts'
import { formatSize } from './fileParts'
import type { AttachState } from './useAttach'

type Props = { title: string; onClose(): void; children: ReactNode }

/** A list of files that a click attaches to the message. The message box has the focus afterwards. */
export function AttachDialog({ title, onClose, children }: Props) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusMessageBox()
          }}
          className="rise fixed left-1/2 top-[8vh] z-50 flex max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raise p-5 shadow-pop"
        >
          <Dialog.Title className="text-[16px] font-semibold">{title}</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">
            <Trans>Click files to attach them to your message.</Trans>
          </Dialog.Description>
          {children}
          <div className="mt-4 flex justify-end">
            <Dialog.Close className="btn">
              <Trans>Done</Trans>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** How large a file is, or how far it is attached. */
export function AttachMark({ state, sizeBytes }: { state: AttachState; sizeBytes: number }) {
  const { t } = useLingui()
  if (!state) return <span className="shrink-0 text-[12.5px] text-fg2">{formatSize(sizeBytes)}</span>
  if (state === 'busy') return <Loader className="size-4 shrink-0 animate-spin text-fg3 motion-reduce:animate-none" aria-label={t`Attaching`} />
  return (
    <span role="status" className="flex shrink-0 items-center gap-1 text-[12.5px] text-fg2">
      <Check className="size-3.5 text-ok" aria-hidden />
      <Trans>Attached</Trans>
    </span>
  )
}
