import type { ChatState as SdkChatState, ChatStatus } from 'ai'
import type { ChatMessage } from '../../api/messageTypes'
import { createStore } from '../../ui/store'

export type ChatSnapshot = { readonly messages: ChatMessage[]; readonly status: ChatStatus; readonly error: Error | undefined }

/** Messages, status and error of one conversation. The AI SDK's chat writes them, the view subscribes. */
export class ChatState implements SdkChatState<ChatMessage> {
  readonly store = createStore<ChatSnapshot>({ messages: [], status: 'ready', error: undefined })

  get messages(): ChatMessage[] {
    return this.store.get().messages
  }

  set messages(messages) {
    this.store.patch({ messages })
  }

  get status(): ChatStatus {
    return this.store.get().status
  }

  set status(status) {
    this.store.patch({ status })
  }

  get error(): Error | undefined {
    return this.store.get().error
  }

  set error(error) {
    this.store.patch({ error })
  }

  pushMessage = (message: ChatMessage): void => {
    this.messages = [...this.messages, message]
  }

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage = (index: number, message: ChatMessage): void => {
    this.messages = this.messages.with(index, this.snapshot(message))
  }

  /** A message with parts of its own: the SDK goes on writing into the ones that it has. */
  snapshot = <T>(thing: T): T => (isMessage(thing) ? { ...thing, parts: thing.parts.map((part) => ({ ...part })) } : thing)
}

const isMessage = (thing: unknown): thing is ChatMessage => typeof thing === 'object' && thing !== null && 'parts' in thing && Array.isArray(thing.parts)
