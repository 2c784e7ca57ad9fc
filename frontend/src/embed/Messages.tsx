import { useLayoutEffect, useMemo, useRef } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ChatMessage } from '../api/messageTypes'
import { hasForeignContent } from '../chat/foreignContent'
import type { Session } from '../chat/session/session'
import { stableId } from '../chat/stableId'
import { EndOfThread } from '../chat/thread/EndOfThread'
import { LoadFailed } from '../chat/thread/ThreadPlaceholders'
import { useStickToBottom } from '../chat/thread/useStickToBottom'
import type { ConversationModel } from '../chat/useConversation'
import { LinksAsk } from '../markdown/ExternalLink'
import { frameBoot } from './boot'
import { VisitorAnswer, VisitorQuestion } from './VisitorMessage'

/** `scrolls`: counts how often the page around the chat wanted the end to be shown. */
type Props = { session: Session; conversation: ConversationModel; greeting: string; scrolls: number }

export function Messages({ session, conversation, greeting, scrolls }: Props) {
  const { t } = useLingui()
  const { messages, display, state } = conversation
  const box = useRef<HTMLDivElement>(null)
  const scroll = useStickToBottom(box)
  const linksAsk = useMemo(() => hasForeignContent(messages, state.hasMore), [messages, state.hasMore])
  useLayoutEffect(() => scroll.toEnd(), [scroll.toEnd, state.sentCount, scrolls])
  const isEmpty = messages.length === 0 && (state.load === 'new' || state.load === 'ready')
  return (
    <LinksAsk value={linksAsk}>
      <div ref={box} {...scroll.handlers} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px] [overflow-anchor:none]" tabIndex={0} role="region" aria-label={t`Messages`}>
        <div className="column py-4">
          {state.load === 'failed' && <LoadFailed onRetry={() => void session.open()} />}
          {state.hasMore && (
            <button type="button" className="btn mx-auto mb-4 flex" onClick={() => void session.older.load()}>
              <Trans>Show earlier messages</Trans>
            </button>
          )}
          {isEmpty && <Greeting text={greeting} onChoose={conversation.send} />}
          {messages.length > 0 && (
            <div role="feed" aria-label={t`Conversation`} aria-busy={display.running}>
              {messages.map((message, index) => (
                <article key={stableId(message)} className={message.role === 'user' ? 'pb-5 pointer-coarse:pb-9' : 'pb-5'} aria-posinset={index + 1} aria-setsize={messages.length} aria-label={message.role === 'user' ? t`You` : t`Assistant`}>
                  <OneMessage message={message} session={session} conversation={conversation} />
                </article>
              ))}
            </div>
          )}
          <EndOfThread session={session} conversation={conversation} />
        </div>
      </div>
    </LinksAsk>
  )
}

function OneMessage({ message, session, conversation: { messages, display, state } }: { message: ChatMessage; session: Session; conversation: ConversationModel }) {
  const isLast = message === messages.at(-1)
  if (message.role === 'user') return <VisitorQuestion message={message} session={session} editing={state.editingId === stableId(message)} busy={display.running} />
  return <VisitorAnswer message={message} session={session} live={display.running && isLast} waiting={isLast ? state.waiting : null} isLast={isLast} busy={display.running} />
}

function Greeting({ text, onChoose }: { text: string; onChoose(text: string): void }) {
  const { t } = useLingui()
  const { starters } = frameBoot.look
  return (
    <div className="pb-2">
      <p className="text-[calc(15.5px*var(--text))] leading-[1.6]">{text || t`How can I help?`}</p>
      {starters.length > 0 && (
        <ul aria-label={t`Suggestions`} className="mt-4 flex flex-wrap gap-2">
          {starters.map((starter) => (
            <li key={starter} className="min-w-0">
              <button type="button" className="min-h-9 rounded-[18px] border border-line bg-raise px-3.5 py-1.5 text-start text-[13.5px] [overflow-wrap:anywhere] hover:border-line2 hover:bg-hover pointer-coarse:min-h-11" onClick={() => onChoose(starter)}>
                {starter}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
