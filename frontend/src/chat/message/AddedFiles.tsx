// Files that are added to a message while it is edited. Loaded when one is edited.
import { useRef } from 'react'
import { t } from '@lingui/core/macro'
import { Plus } from 'lucide-react'
import { AttachmentChips } from '../../files/AttachmentChips'
import type { Attachments } from '../../files/attachments'

export default function AddedFiles({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <AttachmentChips attachments={attachments} waits={false} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t`Files for this message`}
        onChange={(event) => {
          attachments.add([...(event.target.files ?? [])])
          event.target.value = '' // the same file can be chosen again
        }}
      />
      <button type="button" className="icon" aria-label={t`Add files to this message`} title={t`Add files`} onClick={() => input.current?.click()}>
        <Plus className="size-4" aria-hidden />
      </button>
    </>
  )
}
