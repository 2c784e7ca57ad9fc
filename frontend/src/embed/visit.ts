// The visitor's conversation, and what the page around it can do with it.
import type { ChatMessage } from '../api/messageTypes'
import { conversationsApi } from '../api/conversationsApi'
import { errorMessage, request } from '../api/client'
import type { StartedConversation } from '../api/generated'
import { randomUuid } from '../browser/uuid'
import { Session } from '../chat/session/session'
import { createStore } from '../ui/store'
import { showToast } from '../ui/toasts'
import { beginSession, isKnown } from './access'
import { ask, emit } from './port'
import { titleIsKnown } from './titles'

const fresh = (): Session => new Session(randomUuid(), true)

/** Null until it is known which conversation the visitor goes on with. */
export const visit = createStore<{ readonly session: Session | null; readonly problem: string }>({ session: null, problem: '' })

/** Opens the conversation of the last visit. A stranger gets an empty one, and a session with the first message. */
export async function startVisit(): Promise<void> {
  visit.set({ session: null, problem: '' })
  try {
    const conversationId = isKnown() ? (await beginSession()).conversationId : null
    if (conversationId) titleIsKnown(conversationId)
    visit.patch({ session: conversationId ? new Session(conversationId, false) : fresh() })
  } catch (error) {
    visit.patch({ problem: errorMessage(error) })
  }
}

/** What the page around the chat lets out of a text; empty: nothing. */
async function allowedText(text: string): Promise<string> {
  const verdict = await ask({ kind: 'before-send', text })
  if (verdict === null || verdict === false) return ''
  return (typeof verdict === 'string' ? verdict : text).trim()
}

/** Sends a message, unless the page around the chat prevents it or changes its text. Returns whether it went out. */
export async function sendMessage(session: Session, text: string): Promise<boolean> {
  const finalText = await allowedText(text)
  if (!finalText) return false
  emit('user-message', { text: finalText })
  void session.write(finalText, false)
  return true
}

/** Sends a question again with another text, unless the page around the chat prevents it or changes the text. */
export async function editMessage(session: Session, question: ChatMessage, text: string): Promise<void> {
  const finalText = await allowedText(text)
  if (!finalText || session.busy) return
  emit('edit', { id: question.id, text: finalText })
  emit('user-message', { text: finalText })
  await session.messages.edit(question, finalText, [])
}

export function stop(session: Session): void {
  emit('stop')
  void session.stop()
}

export function regenerate(session: Session, answerId?: string): void {
  if (session.busy) return
  emit('regenerate', answerId ? { id: answerId } : {})
  void session.messages.regenerate(answerId)
}

let opening: Promise<void> = Promise.resolve()

/** Puts the conversation away and opens another, which begins with messages of the page. `text`: their JSON, which the page's end has checked. */
export function setMessages(text: string): void {
  opening = opening.then(() => openWith(text))
}

/** Sends what the page says, into the conversation that it has set before. */
export async function sendFromPage(text: string): Promise<void> {
  await opening
  const { session } = visit.get()
  if (session) await sendMessage(session, text)
}

async function openWith(text: string): Promise<void> {
  const { session } = visit.get()
  if (!session) return
  try {
    const { conversationId } = await request<StartedConversation>('POST', 'conversations/', { messages: JSON.parse(text) as unknown })
    if (session.state.get().load !== 'new') await conversationsApi.archive(session.id)
    session.handleDeletion()
    visit.set({ session: new Session(conversationId, false), problem: '' })
  } catch (error) {
    showToast(errorMessage(error))
    emit('error', { message: errorMessage(error) })
  }
}

/** Begins an empty conversation in place of one that is not the visitor's any more. */
export function leaveConversation(session: Session): void {
  session.handleDeletion()
  visit.set({ session: fresh(), problem: '' })
}

/** Leaves the conversation, which the server puts away, for an empty one. */
export const clear = (session: Session): Promise<void> => leave(session, 'clear', conversationsApi.archive)

/** Deletes the conversation. */
export const remove = (session: Session): Promise<void> => leave(session, 'delete', conversationsApi.remove)

async function leave(session: Session, event: 'clear' | 'delete', act: (id: string) => Promise<unknown>): Promise<void> {
  if (session.state.get().load === 'new') return
  try {
    await act(session.id)
  } catch (error) {
    return showToast(errorMessage(error))
  }
  leaveConversation(session)
  emit(event)
}
