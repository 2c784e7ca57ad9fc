import { RotateCcw } from 'lucide-react'
import { canWrite } from '../../api/boot'
import type { ChatMessage } from '../../api/messageTypes'
import { CopyButton } from '../../ui/CopyButton'
import { textOf } from '../messageText'
import type { Session } from '../session/session'
import { answerDetails } from './answerDetails'

export function MessageFooter({ message, session, isLast }: { message: ChatMessage; session: Session; isLast: boolean }) {
  const text = textOf(message)
  const print = answerDetails(message.metadata)
  // The footer of an older answer uses the space below it, and shows on hover or focus.
  const quiet = isLast ? 'mt-2' : '-mb-7 pointer-coarse:mb-0 opacity-0 transition-opacity group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100'
  return (
    <div className={`-ml-2 flex min-h-8 flex-wrap items-center gap-x-1 text-fg3 ${quiet}`}>
      {text && <CopyButton text={text} what="answer" />}
      {isLast && canWrite && (
        <button type="button" className="icon" onClick={() => void session.regenerate()} aria-label="Answer again" title="Answer again">
          <RotateCcw className="size-3.5" aria-hidden />
        </button>
      )}
      {message.metadata?.isDemo && <span className="ml-1 rounded-full bg-warn-soft px-2 py-0.5 text-[11.5px] font-medium text-warn">Demo</span>}
      <span className="ml-2 text-[12px] tabular-nums">{print}</span>
    </div>
  )
}
