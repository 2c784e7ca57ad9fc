// Attaching files from the user's GitHub repositories.
import { useState } from 'react'
import { FolderGit2 } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { Attachments } from '../files/attachments'
import { Folder } from './Folder'
import { Repositories } from './Repositories'

/** Opens the user's repositories, to attach files from them. */
export function GithubButton({ attachments }: { attachments: Attachments }) {
  const [open, setOpen] = useState(false)
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="icon" aria-label="Attach from GitHub" title="Attach from GitHub">
        <FolderGit2 className="size-4.5" aria-hidden />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-black/30" />
        <Dialog.Content className="rise fixed left-1/2 top-[8vh] z-50 flex max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raise p-5 shadow-pop">
          <Dialog.Title className="text-[16px] font-semibold">Attach from GitHub</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">Click files to attach them to your message.</Dialog.Description>
          <Browser attachments={attachments} onLeave={() => setOpen(false)} />
          <div className="mt-4 flex justify-end">
            <Dialog.Close className="btn">Done</Dialog.Close>
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
