import { Trans, useLingui } from '@lingui/react/macro'
import { GitBranch, X } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { Session } from '../session/session'

/** The message that was looked for is in another branch. To show that one is the reader's choice, because it changes the chat for all their screens. */
export function ElsewhereBar({ session, messageId, onDismiss }: { session: Session; messageId: string; onDismiss(): void }) {
  const { t } = useLingui()
  const show = async () => {
    await session.messages.showBranch(messageId)
    await session.older.loadUpTo(messageId)
  }
  return (
    <div role="status" className="rise absolute inset-x-3 top-2 z-10 mx-auto flex w-fit max-w-[calc(100%-24px)] items-center gap-2.5 rounded-xl border border-line bg-raise py-1.5 ps-3.5 pe-1.5 text-[13.5px] shadow-pop">
      <GitBranch className="size-4 shrink-0 text-fg3" aria-hidden />
      <p className="min-w-0"><Trans>This message is in another version of the chat.</Trans></p>
      {canWrite && (
        <button type="button" className="btn shrink-0" onClick={() => void show()}>
          <Trans>Show it</Trans>
        </button>
      )}
      <button type="button" className="icon size-8" aria-label={t`Dismiss`} title={t`Dismiss`} onClick={onDismiss}>
        <X className="size-4" aria-hidden />
      </button>
    </div>
  )
}
