import { useEffect } from 'react'
import { boot } from '../api/boot'
import type { ModelChoice } from '../api/generated'
import type { ChatMessage, WaitReason } from '../api/messageTypes'
import { countUse } from '../assistants/assistants'
import { chooseAssistant, useAnsweringAssistant, useChosenAssistant, type ChosenAssistant } from '../assistants/chosenAssistant'
import { putNewConversation } from '../conversations/store'
import { goToConversation } from '../navigation/router'
import { useStore } from '../ui/store'
import { pickModel, preferModel, usePreferences } from './composer/modelPreferences'
import { switchesToSend, useSwitches } from './composer/switches'
import { notYetShown, type QueuedMessage } from './session/queuedMessages'
import type { Session } from './session/session'
import type { SessionState } from './session/sessionState'
import { displayedStatus, type DisplayedStatus } from './session/status'
import { useSteadyMessages } from './message/steadyMessage'
import { useChat } from './useChat'

export type ConversationModel = {
  readonly messages: readonly ChatMessage[]
  readonly error: Error | undefined
  readonly state: SessionState
  /** Messages sent into the answer that it does not show yet. */
  readonly queue: readonly QueuedMessage[]
  readonly display: DisplayedStatus
  readonly model: ModelChoice | undefined
  readonly thinking: boolean
  /** Who answers the next message; null: the chat agent. */
  readonly assistant: ChosenAssistant | null
  send(text: string): void
  chooseModel(id: string): void
  chooseAssistant(key: string): void
}

/** Everything that the view of one conversation shows and does. */
export function useConversation(session: Session): ConversationModel {
  const state = useStore(session.state)
  const { messages: chatMessages, status, error } = useChat(session.chat)
  const preferences = usePreferences()
  const display = displayedStatus(status, state.connection)
  const messages = useSteadyMessages(chatMessages, display.running)
  const model = pickModel(boot.models, [state.modelId, preferences.defaultModelId, preferences.modelId])
  const assistant = useChosenAssistant(session, state, error)
  const pick = state.assistantPick ?? (state.load === 'new' ? (assistant?.key ?? '') : null)
  const ownModel = assistant?.item?.modelChoice === 'fixed' ? assistant.item : undefined
  const thinking = preferences.thinking && (ownModel ?? model)?.supportsThinking === true
  session.stream.options = {
    modelId: model?.id ?? null,
    thinking,
    switches: switchesToSend(useSwitches()),
    ...(pick !== null && { assistant: pick }),
    ...(state.projectId && { projectId: state.projectId }),
    ...(state.isTemporary && { temporary: true }),
  }
  useEffect(() => void session.open(), [session])
  useAnsweringAssistant(session, messages.at(-1), display.running)
  useStatusOnBody(display, state.waiting)
  return {
    messages,
    error,
    state,
    queue: notYetShown(state.queue, messages),
    display,
    model,
    thinking,
    assistant,
    send: (text) => {
      if (pick !== null) session.state.patch({ assistantPick: pick }) // for a second try, too
      if (state.load === 'new') countUse(pick ?? '')
      void session.write(text)
      if (!state.isTemporary) putNewConversation(session.id, state.projectId)
      goToConversation(session.id)
    },
    chooseModel: (id) => {
      preferModel(id)
      session.state.patch({ modelId: id })
    },
    chooseAssistant: (key) => chooseAssistant(session, key),
  }
}

/** Browser tests wait for these attributes. */
function useStatusOnBody({ status, reconnecting }: DisplayedStatus, waiting: WaitReason): void {
  useEffect(() => {
    document.body.dataset.status = status
    document.body.dataset.connection = reconnecting ? 'reconnecting' : 'steady'
    document.body.dataset.waiting = waiting ?? ''
  }, [status, reconnecting, waiting])
}
