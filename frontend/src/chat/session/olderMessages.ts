import type { Chat } from '@ai-sdk/react'
import { errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import type { ChatMessage } from '../../api/messageTypes'
import type { Store } from '../../ui/store'
import { showToast } from '../../ui/toasts'
import type { SessionState } from './state'

/** Loads the messages before the oldest one that is here, a page at a time. */
export class OlderMessages {
  private loading = false

  constructor(
    private readonly chat: Chat<ChatMessage>,
    private readonly state: Store<SessionState>,
  ) {}

  async load(): Promise<void> {
    const first = this.chat.messages[0]
    if (!first || this.loading || !this.state.get().hasMore) return
    this.loading = true
    try {
      const page = await conversationsApi.get(this.chat.id, first.id)
      this.chat.messages = [...page.messages, ...this.chat.messages]
      this.state.patch({ hasMore: page.hasMore })
    } catch (error) {
      showToast(errorMessage(error))
    } finally {
      this.loading = false
    }
  }
}
