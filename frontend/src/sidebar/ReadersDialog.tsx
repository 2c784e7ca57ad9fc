import { useEffect, useState, type RefObject } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Dialog } from 'radix-ui'
import { canWrite } from '../api/boot'
import { errorMessage } from '../api/client'
import { conversationsApi } from '../api/conversationsApi'
import type { ConversationItem, ConversationReaders } from '../api/generated'
import { titleOf } from '../conversations/title'
import { dateText } from '../language/formats'
import { ErrorLine } from '../ui/FormDialog'

const RULES = {
  never: msg`Only you. Your organization doesn’t let admins read members’ chats. They see when you asked, which model answered and what it cost, but no text.`,
  consent: msg`Only you, unless you share it with your organization’s admins. Without that they see when you asked, which model answered and what it cost, but no text.`,
  always: msg`You, and your organization’s admins. They may read all chats here, and each reading is written to the audit log.`,
} as const

/** Says who may read a conversation. Its owner can share it with admins where the organization asks for consent. */
export default function ReadersDialog({ item, onClose, returnTo }: { item: ConversationItem; onClose(): void; returnTo: RefObject<HTMLElement | null> }) {
  const [readers, setReaders] = useState<ConversationReaders | null>(null)
  const [error, setError] = useState('')
  const load = (request: Promise<ConversationReaders>) => {
    setError('')
    request.then(setReaders, (reason: unknown) => setError(errorMessage(reason)))
  }
  useEffect(() => load(conversationsApi.readers(item.id)), [item.id])
  const shared = readers?.sharedUntil
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          onCloseAutoFocus={() => returnTo.current?.focus()}
          className="rise fixed left-1/2 top-1/4 z-50 w-[min(28rem,92vw)] -translate-x-1/2 rounded-2xl border border-line bg-raise p-5 shadow-pop"
        >
          <Dialog.Title className="text-[16px] font-semibold"><Trans>Who can read this</Trans></Dialog.Title>
          <Dialog.Description className="mt-1 truncate text-[14px] text-fg3">{titleOf(item)}</Dialog.Description>
          <p className="mt-3 text-[14px] text-fg2">{readers && t(RULES[readers.policy])}</p>
          {shared && <p className="mt-3 text-[14px] font-medium"><Trans>Shared with admins until {dateText(shared, { day: 'numeric', month: 'long' })}.</Trans></p>}
          {error && <ErrorLine text={error} />}
          <div className="mt-5 flex justify-end gap-2">
            {readers?.policy === 'consent' && canWrite && (
              <button type="button" className="btn" onClick={() => load(shared ? conversationsApi.stopSharing(item.id) : conversationsApi.shareWithAdmins(item.id))}>
                {shared ? t`Stop sharing` : t`Share for 7 days`}
              </button>
            )}
            <Dialog.Close className="btn-primary"><Trans>Done</Trans></Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
