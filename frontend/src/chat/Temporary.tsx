// Temporary chats: in no list, and deleted after a day.
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { MessageCircleDashed } from 'lucide-react'
import { canWrite } from '../api/boot'
import { useStore } from '../ui/store'
import type { Session } from './session/session'

const SAYS = msg`Not listed, not searched, and deleted after a day.`

/** In the header: a switch before the first message, a mark after it. */
export function TemporaryMark({ session }: { session: Session }) {
  const { t } = useLingui()
  const { load, isTemporary } = useStore(session.state)
  if (load !== 'new') {
    if (!isTemporary) return null
    return (
      <span className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-full bg-soft px-2.5 text-[12.5px] font-medium text-accent" title={t(SAYS)}>
        <MessageCircleDashed className="size-3.5" aria-hidden />
        <span className="@max-[22rem]:sr-only"><Trans>Temporary</Trans></span>
      </span>
    )
  }
  if (!canWrite) return null
  return (
    <button type="button" aria-pressed={isTemporary} title={t(SAYS)} onClick={() => session.state.patch({ isTemporary: !isTemporary })} className="ghost shrink-0 rounded-full px-2.5 aria-pressed:bg-soft aria-pressed:text-accent">
      <MessageCircleDashed className="size-3.5" aria-hidden />
      <span className="@max-[22rem]:sr-only"><Trans>Temporary</Trans></span>
    </button>
  )
}

/** On the new-chat page, in place of the greeting. */
export function TemporaryGreeting() {
  return (
    <div className="column rise flex items-center gap-4 pb-5">
      <MessageCircleDashed className="size-9 shrink-0 text-accent max-sm:size-8" aria-hidden />
      <div className="min-w-0">
        <h2 className="text-[28px] font-[680] leading-tight tracking-[-0.026em] max-sm:text-[22px]"><Trans>Temporary chat</Trans></h2>
        <p className="mt-0.5 text-[15px] text-fg2">
          <Trans>Not in your list, not in search. Deleted after a day, with its files and documents.</Trans>
        </p>
      </div>
    </div>
  )
}
