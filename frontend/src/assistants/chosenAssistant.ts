import { useEffect } from 'react'
import type { AssistantItem } from '../api/generated'
import type { ChatMessage } from '../api/messageTypes'
import { conversationsApi } from '../api/conversationsApi'
import { ApiError, errorMessage } from '../api/client'
import { freshDraftId } from '../browser/freshDraft'
import { readStored, writeStored } from '../browser/storage'
import type { Session } from '../chat/session/session'
import type { SessionState } from '../chat/session/sessionState'
import { showToast } from '../ui/toasts'
import { refreshAssistants, useAssistants } from './assistants'
import { useDefaultAssistant } from './defaultAssistant'

/** `item` is undefined where the assistant was withdrawn, or is not for this member any more. */
export type ChosenAssistant = { readonly key: string; readonly item: AssistantItem | undefined }

/** What is stored for the chat agent, because an empty text is not stored. */
const CHAT_AGENT = '-'
const draftKey = (): string => `assistant:${freshDraftId()}`

/** Who is chosen for the next message of a conversation: picked here, or as the server says. Null: the chat agent. */
export function useChosenAssistant(session: Session, state: SessionState, error: Error | undefined): ChosenAssistant | null {
  const assistants = useAssistants()
  const defaultKey = useDefaultAssistant()
  const key = state.assistantPick ?? (state.load === 'new' ? defaultKey : state.assistant)
  const item = assistants.find((each) => each.key === key)
  const isUnknown = key !== '' && item === undefined
  useEffect(() => {
    const pick = state.load === 'new' && state.assistantPick === null ? readStored(draftKey()) : null
    if (pick) session.state.patch({ assistantPick: pick === CHAT_AGENT ? '' : pick })
  }, [session, state.load, state.assistantPick])
  useEffect(() => {
    if (error || isUnknown) void refreshAssistants() // an admin may have changed what there is
  }, [error, isUnknown])
  return key ? { key, item } : null
}

/** An answer that begins says who gives it, also when another tab chose. */
export function useAnsweringAssistant(session: Session, last: ChatMessage | undefined, running: boolean): void {
  const { runId, assistant } = (last?.role === 'assistant' && last.metadata) || {}
  useEffect(() => {
    if (!running || !runId) return
    session.state.patch({ assistant: assistant?.key ?? '', assistantPick: null })
    writeStored(draftKey(), null)
  }, [session, running, runId, assistant?.key])
}

/** Choose who answers from now on; '' is the chat agent. The conversation remembers it, as soon as it has begun. */
export function chooseAssistant(session: Session, key: string): void {
  const { load } = session.state.get()
  session.state.patch({ assistantPick: key })
  if (load === 'new') return void writeStored(draftKey(), key || CHAT_AGENT)
  conversationsApi.chooseAssistant(session.id, key).catch((error: unknown) => {
    const isMissing = error instanceof ApiError && error.status === 404 // its first message was refused: the next one begins it
    if (!isMissing) showToast(errorMessage(error))
  })
}
