import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { MessageCircleOff } from 'lucide-react'
import { goHome } from './router'

/** `what`: what was looked for. */
export function NotFound({ what = 'Conversation' }: { what?: 'Conversation' | 'Project' }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 px-6 text-center">
      <MessageCircleOff className="size-8 text-fg3" aria-hidden />
      <h2 className="text-[18px] font-semibold">{what === 'Project' ? t`Project not found` : t`Conversation not found`}</h2>
      <p className="max-w-96 text-[14px] text-fg2">{what === 'Project' ? t`It may have been deleted or isn’t yours. Projects are private to the person who started them.` : t`It may have been deleted or isn’t yours. Conversations are private to the person who started them.`}</p>
      <button type="button" className="btn mt-2" onClick={goHome}>
        <Trans>Start a new chat</Trans>
      </button>
    </div>
  )
}
