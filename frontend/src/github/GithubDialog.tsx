// Attaching files from the user's GitHub repositories.
import { useState } from 'react'
import { Trans } from '@lingui/react/macro'
import { Dialog } from 'radix-ui'
import type { Attachments } from '../files/attachments'
import { focusMessageBox } from '../navigation/shortcuts'
import { Folder } from './Folder'
import { Repositories } from './Repositories'

/** The user's repositories, to attach files from them. The message box has the focus afterwards. */
export default function GithubDialog({ attachments, onClose }: { attachments: Attachments; onClose(): void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-black/30" />
        <Dialog.Content
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusMessageBox()
          }}
          className="rise fixed left-1/2 top-[8vh] z-50 flex max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raise p-5 shadow-pop"
        >
          <Dialog.Title className="text-[16px] font-semibold"><Trans>Attach from GitHub</Trans></Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">
            <Trans>Click files to attach them to your message.</Trans>
          </Dialog.Description>
          <Browser attachments={attachments} onLeave={onClose} />
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

function Browser({ attachments, onLeave }: { attachments: Attachments; onLeave(): void }) {
  const [repository, setRepository] = useState('')
  if (!repository) return <Repositories onChoose={setRepository} onLeave={onLeave} />
  return <Folder repository={repository} attachments={attachments} onLeaveRepository={() => setRepository('')} onLeave={onLeave} />
}
