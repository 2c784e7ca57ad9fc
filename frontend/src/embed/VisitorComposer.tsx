// Where a visitor writes. Enter sends, Shift+Enter begins a line, also on a phone's keyboard with such keys.
import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowUp, Eye, Square } from 'lucide-react'
import { mediaMatches } from '../browser/useMedia'
import { useDraft } from '../chat/composer/useDraft'
import type { Session } from '../chat/session/session'
import type { ConversationModel } from '../chat/useConversation'
import { MESSAGE_BOX } from '../navigation/shortcuts'
import { useStore } from '../ui/store'
import { pageState } from './pageState'
import { sendMessage, stop } from './visit'
import { VisitorSwitches } from './VisitorSwitches'

type Props = { session: Session; conversation: ConversationModel; placeholder: string }

export function VisitorComposer({ session, conversation: { display, state }, placeholder }: Props) {
  const { t } = useLingui()
  const [text, setText] = useDraft(session, state)
  const [isAsking, setAsking] = useState(false)
  const canStop = display.running || Boolean(state.waiting)
  const canSend = text.trim() !== '' && !isAsking && state.load !== 'waiting' && state.load !== 'loading'
  const send = async () => {
    if (!canSend) return
    setAsking(true)
    const went = await sendMessage(session, text.trim())
    setAsking(false)
    if (went) setText('')
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || mediaMatches('(pointer: coarse)')) return
    event.preventDefault()
    void send()
  }
  return (
    <div className="mx-auto w-full max-w-[46rem] shrink-0 px-3 pb-2">
      <PageStateNote />
      <VisitorSwitches />
      <form onSubmit={(event) => event.preventDefault()} className="flex items-end gap-1.5 rounded-[22px] border border-line2 bg-raise p-1.5 transition-colors focus-within:border-fg3">
        <textarea
          id={MESSAGE_BOX}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          rows={1}
          aria-label={t`Message`}
          placeholder={placeholder || t`Ask anything`}
          className="max-h-[30vh] min-w-0 flex-1 resize-none self-center bg-transparent px-2.5 py-1 text-[calc(15px*var(--text))] leading-[1.5] outline-none [field-sizing:content] placeholder:text-fg3"
        />
        {canStop && (
          <button type="button" className="round-quiet" aria-label={state.stopping ? t`Stopping` : t`Stop`} title={t`Stop`} disabled={state.stopping} onClick={() => stop(session)}>
            <Square className="size-3.5 fill-current" aria-hidden />
          </button>
        )}
        <button type="button" className="round bg-accent text-accent-fg" aria-label={t`Send`} title={t`Send (Enter)`} disabled={!canSend} onClick={() => void send()}>
          <ArrowUp className="size-4.5" strokeWidth={2.4} aria-hidden />
        </button>
      </form>
    </div>
  )
}

/** What the page around the chat tells the agent with each message, by name. */
function PageStateNote() {
  const keys = Object.keys(useStore(pageState) ?? {}).join(', ')
  if (!keys) return null
  return (
    <p className="flex items-center gap-1.5 px-1.5 pb-1.5 text-[12px] text-fg3">
      <Eye className="size-3.5 shrink-0 text-ok" aria-hidden />
      <span className="truncate"><Trans>Sees: {keys}</Trans></span>
    </p>
  )
}
