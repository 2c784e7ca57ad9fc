// Attaching files from the user's GitHub repositories.
import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { AttachDialog } from '../files/AttachDialog'
import type { Attachments } from '../files/attachments'
import { Folder } from './Folder'
import { Repositories } from './Repositories'

/** The user's repositories, to attach files from them. */
export default function GithubDialog({ attachments, onClose }: { attachments: Attachments; onClose(): void }) {
  const [repository, setRepository] = useState('')
  return (
    <AttachDialog title={t`Attach from GitHub`} onClose={onClose}>
      {repository ? (
        <Folder repository={repository} attachments={attachments} onLeaveRepository={() => setRepository('')} onLeave={onClose} />
      ) : (
        <Repositories onChoose={setRepository} onLeave={onClose} />
      )}
    </AttachDialog>
  )
}
