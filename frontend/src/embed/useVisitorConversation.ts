import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import type { ChatMessage } from '../api/messageTypes'
import type { Session } from '../chat/session/session'
import { notYetShown } from '../chat/session/queuedMessages'
import { displayedStatus } from '../chat/session/status'
import { useSteadyMessages } from '../chat/message/steadyMessage'
import { switchesToSend, useSwitches } from '../chat/composer/switches'
import { useChat } from '../chat/useChat'
import type { ConversationModel } from '../chat/useConversation'
import { useStore } from '../ui/store'
import { carryOut } from './clientCalls'
import { useAnswerEvents } from './events'
import { pageState } from './pageState'
import { pageTools } from './pageTools'
import { emit } from './port'
import { sendMessage } from './visit'

/** What the chat's own components need to know of a visitor's conversation: no models, assistants or switches to choose from. */
export function useVisitorConversation(session: Session): ConversationModel {
  const state = useStore(session.state)
  const shared = useStore(pageState)
  const tools = useStore(pageTools)
  const switches = useSwitches()
  const { messages: chatMessages, status, error } = useChat(session.chat)
  const display = displayedStatus(status, state.connection)
  const messages = useSteadyMessages(chatMessages, display.running)
  const last = messages.at(-1)
  session.stream.options = { modelId: null, thinking: false, switches: switchesToSend(switches), ...(shared && { pageState: shared }), ...(tools.length > 0 && { pageTools: tools }) }
  useEffect(() => void session.open(), [session])
  useAnswerEvents(last, display.running, error)
  useEffect(() => {
    if (display.running || !last) return
    if (state.waiting === 'client') void carryOut(session, last)
    if (state.waiting === 'approval') refuseAll(session, last)
  }, [session, last, display.running, state.waiting, tools])
  return {
    ...{ messages, error, state, display, model: undefined, thinking: false, assistant: null },
    queue: notYetShown(state.queue, messages),
    send: (text) => {
      emit('suggestion-click', { text })
      void sendMessage(session, text)
    },
    chooseModel: () => undefined,
    chooseAssistant: () => undefined,
  }
}

/** A visitor can't allow what needs permission: the agent is told so, and goes on without it. */
function refuseAll(session: Session, message: ChatMessage): void {
  for (const part of message.parts) {
    if (part.type === 'dynamic-tool' && part.state === 'approval-requested') void session.decide(part.approval.id, false, t`Visitors can’t allow this.`).catch(() => undefined)
  }
}
