// The messages of a conversation, from the first to what is below the last.
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { ChatMessage } from '../../api/messageTypes'
import { FindBar } from '../find/FindBar'
import { useFind } from '../find/useFind'
import { stepBranch } from '../message/BranchArrows'
import { Message } from '../message/Message'
import type { Session } from '../session/session'
import { stableId } from '../stableId'
import type { ConversationModel } from '../useConversation'
import { DayDialog } from './DayDialog'
import { DayMark } from './DayMark'
import { dayMarks } from './dayMarks'
import { ElsewhereBar } from './ElsewhereBar'
import { fillGap, Gap, isGapAhead } from './Gap'
import { JumpButtons } from './JumpButtons'
import { SelectionBar } from './SelectionBar'
import { useJump } from './useJump'
import { useStickToBottom } from './useStickToBottom'

/** Older messages are loaded when the reader is this close to the top. */
const NEAR_TOP_PX = 600
/** From so many messages on, there is a button that leads to the first. */
const LONG = 20
/** The estimated height of messages that were never rendered. A fixed value, because one very long answer would spoil an average. */
const TYPICAL_HEIGHT_PX = 260

/** True in the one render in which older messages were added above. The view must not move then. */
function useHasPrepended(messages: readonly ChatMessage[]): boolean {
  const first = useRef(messages[0]?.id)
  const grew = first.current !== messages[0]?.id && messages.some((message) => message.id === first.current)
  useEffect(() => {
    first.current = messages[0]?.id
  })
  return grew
}

/** False in the first two frames: the list measures its last message, then the others, and moves what is below them. */
function useIsMeasured(): boolean {
  const [frames, setFrames] = useState(0)
  useEffect(() => {
    if (frames === 2) return undefined
    const frame = requestAnimationFrame(() => setFrames(frames + 1))
    return () => cancelAnimationFrame(frame)
  }, [frames])
  return frames === 2
}

type Props = { session: Session; conversation: ConversationModel; children: ReactNode }

/** The list of messages. Only the visible ones are in the DOM. */
export function Thread({ session, conversation, children }: Props) {
  const { i18n, t } = useLingui()
  const { messages, display, state } = conversation
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const scroll = useStickToBottom(box)
  const last = messages.at(-1)
  const edited = state.editingId && !display.running ? messages.findIndex((message) => stableId(message) === state.editingId) : -1
  useLayoutEffect(() => scroll.toEnd(), [scroll.toEnd, state.sentCount])
  const view = { list, box, leaveEnd: scroll.leaveEnd }
  const jump = useJump(session, messages, view)
  const find = useFind(session, messages, view)
  // The dates only change with the language and the messages that are there, not with what is written into one.
  const days = useMemo(() => dayMarks(messages, Date.now()), [messages.length, messages[0]?.id, last?.id, i18n.locale])
  const toStart = async () => {
    scroll.leaveEnd()
    await session.older.loadAll(() => true)
    list.current?.scrollToIndex(0)
  }
  const isMeasured = useIsMeasured()
  const [choosesDay, setChoosesDay] = useState(false)
  const toDay = state.hasMore || state.gapBefore || days.size ? () => setChoosesDay(true) : undefined
  const lastTop = useRef(0)
  const loadNear = (place: HTMLElement) => {
    const isDown = place.scrollTop > lastTop.current
    lastTop.current = place.scrollTop
    if (state.hasMore && place.scrollTop < NEAR_TOP_PX) void session.older.load()
    if (state.gapBefore && isDown && isGapAhead(place)) void session.older.loadIntoGap()
  }
  const { onScroll, ...handlers } = scroll.handlers
  const scrolled = (event: React.UIEvent<HTMLElement>) => {
    onScroll?.(event)
    loadNear(event.currentTarget)
  }
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        {...handlers}
        onScroll={scrolled}
        className="h-full overflow-y-auto outline-offset-[-2px] [overflow-anchor:none]"
        tabIndex={0}
        role="region"
        aria-label={t`Messages`}
      >
        <div className={`column pb-6 pt-6 ${isMeasured ? '' : 'opacity-0'}`}>
          {/* While it scrolls, the list takes pointer events from all that is in it, and each time the browser computes the style of all that again. */}
          <div role="feed" aria-label={t`Conversation`} aria-busy={display.running} className="*:pointer-events-auto!">
            <Virtualizer
              ref={list}
              scrollRef={box}
              startMargin={24}
              itemSize={TYPICAL_HEIGHT_PX}
              shift={useHasPrepended(messages)}
              keepMounted={[edited, find.index, messages.length - 1].filter((index) => index >= 0)}
            >
              {messages.map((message, index) => (
                <article
                  key={stableId(message)}
                  data-message={message.id}
                  aria-posinset={index + 1}
                  aria-setsize={state.hasMore || state.gapBefore ? -1 : messages.length}
                  aria-label={message.role === 'user' ? t`You` : t`Assistant`}
                  onKeyDown={(event) => moveBranch(event, message, session)}
                  className={`rounded-xl pb-7 ${edited >= 0 && index > edited ? 'opacity-42' : ''} ${message.id === jump.flashing ? 'flash' : ''}`}
                >
                  {index > 0 && message.id === state.gapBefore && <Gap onFill={() => fillGap(session, view)} />}
                  <DayMark day={days.get(message.id)} />
                  <Message
                    message={message}
                    session={session}
                    live={display.running && message === last}
                    busy={display.running}
                    waiting={message === last ? state.waiting : null}
                    isLast={message === last}
                    editing={index === edited}
                  />
                </article>
              ))}
            </Virtualizer>
          </div>
          <div className={edited >= 0 ? 'opacity-42' : ''}>{children}</div>
        </div>
      </div>
      {find.open && <FindBar find={find} toDay={toDay && (() => [find.close(), toDay()])} />}
      {jump.elsewhere && <ElsewhereBar session={session} messageId={jump.elsewhere} onDismiss={jump.dismiss} />}
      <SelectionBar box={box} session={session} />
      {scroll.away && <JumpButtons toStart={state.hasMore || messages.length > LONG ? toStart : undefined} toDay={toDay} toEnd={() => scroll.toEnd(true)} />}
      {choosesDay && <DayDialog session={session} onShow={jump.show} onClose={() => setChoosesDay(false)} />}
    </div>
  )
}

/** `[` and `]` show the branch before and after, while the focus is in the message. */
function moveBranch(event: React.KeyboardEvent, message: ChatMessage, session: Session): void {
  const steps = { '[': -1, ']': 1 } as const
  const isTyping = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement
  if (!isTyping && (event.key === '[' || event.key === ']')) stepBranch(message, session, steps[event.key])
}
