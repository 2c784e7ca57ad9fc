// One conversation on screen. session/ is the conversation outside React, thread/ shows its messages, parts/ the parts of an answer,
// composer/ is where the user writes.
import { useEffect, useMemo } from 'react'
import { useLingui } from '@lingui/react'
import { canWrite } from '../api/boot'
import { LinksAsk } from '../markdown/ExternalLink'
import { NotFound } from '../navigation/NotFound'
import { Composer } from './composer/Composer'
import type { Session } from './session/session'
import { announcement } from './session/status'
import { LoadFailed, ThreadSkeleton } from './thread/ThreadPlaceholders'
import { lazyComponent } from '../ui/lazyComponent'
import { useLoadUsage } from '../usage/conversationUsage'
import { hasForeignContent } from './foreignContent'
import { useFocusAfterRemoval } from './useFocusAfterRemoval'
import { useConversation, type ConversationModel } from './useConversation'
import { TemporaryGreeting } from './Temporary'
import { Greeting, Starters } from './Welcome'

/** It takes a third of the page's scripts, and the message box works without it. */
export const ThreadWithEnd = lazyComponent(() => import('./thread/ThreadWithEnd').then((module) => module.ThreadWithEnd), <ThreadSkeleton />)

export function ConversationView({ session }: { session: Session }) {
  useLingui() // its helpers speak the page's language
  const conversation = useConversation(session)
  useLoadUsage(session.id, conversation.messages, conversation.state.load === 'ready' && !conversation.display.running && !conversation.state.waiting)
  useEscapeStops(session, conversation.display.running)
  useFocusAfterRemoval()
  const { load, hasMore, gapBefore } = conversation.state
  const isPart = hasMore || gapBefore !== ''
  const linksAsk = useMemo(() => hasForeignContent(conversation.messages, isPart), [conversation.messages, isPart])
  if (load === 'missing') return <NotFound />
  const empty = conversation.messages.length === 0 && (load === 'new' || load === 'ready')
  return (
    <>
      <div className={`flex min-h-0 flex-col ${empty ? 'flex-[1_1_12%] justify-end max-sm:flex-[0_0_14%]' : 'flex-1'}`}>
        <LinksAsk value={linksAsk}>
          <Body session={session} conversation={conversation} empty={empty} />
        </LinksAsk>
      </div>
      <Composer session={session} conversation={conversation} />
      {empty && (canWrite ? <Starters assistant={conversation.assistant} onChoose={conversation.send} onChooseAssistant={conversation.chooseAssistant} /> : <div className="flex-[1_1_40%]" />)}
      <div aria-live="polite" className="sr-only">
        {announcement(conversation.display, conversation.state.waiting, conversation.messages.length > 0)}
      </div>
    </>
  )
}

function Body({ session, conversation, empty }: { session: Session; conversation: ConversationModel; empty: boolean }) {
  const { load } = conversation.state
  if (empty) return conversation.state.isTemporary ? <TemporaryGreeting /> : <Greeting />
  if (load === 'waiting' || load === 'loading') return <ThreadSkeleton />
  if (load === 'failed') return <LoadFailed onRetry={() => void session.open()} />
  return <ThreadWithEnd session={session} conversation={conversation} />
}

/** Esc stops the answer, unless a menu, a dialog or an input method uses the key. */
function useEscapeStops(session: Session, running: boolean): void {
  useEffect(() => {
    if (!running || !canWrite) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) void session.stop()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [session, running])
}
