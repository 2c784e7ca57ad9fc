import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { MessageCircleOff } from 'lucide-react'
import { openSearch } from '../search/dialogState'
import { startNewChat } from './newChat'
import { shortcutLabel } from './shortcuts'

const WORDS = {
  Conversation: { title: msg`Conversation not found`, why: msg`It may have been deleted or isn’t yours. Conversations are private to the person who started them.` },
  Project: { title: msg`Project not found`, why: msg`It may have been deleted or isn’t yours. Projects are private to the person who started them.` },
  Template: { title: msg`Template not found`, why: msg`It may have been withdrawn or isn’t published.` },
}

/** `what`: what was looked for. */
export function NotFound({ what = 'Conversation' }: { what?: keyof typeof WORDS }) {
  const { t } = useLingui()
  const { title, why } = WORDS[what]
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 px-6 text-center">
      <MessageCircleOff className="size-8 text-fg3" aria-hidden />
      <h2 className="text-[18px] font-semibold">{t(title)}</h2>
      <p className="max-w-96 text-[14px] text-fg2">{t(why)}</p>
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        <button type="button" className="btn" onClick={() => openSearch()}>
          <Trans>Search your chats</Trans>
          <kbd className="kbd pointer-coarse:hidden">{shortcutLabel('K')}</kbd>
        </button>
        <button type="button" className="btn-primary" onClick={startNewChat}>
          <Trans>Start a new chat</Trans>
        </button>
      </div>
    </div>
  )
}
