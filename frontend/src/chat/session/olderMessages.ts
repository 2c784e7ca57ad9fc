import { ApiError, errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import type { Store } from '../../ui/store'
import { showToast } from '../../ui/toasts'
import type { Chat } from './chat'
import type { SessionState } from './sessionState'

/** Messages that are loaded above the one that is looked for. */
const AROUND = 20
/** The server's limit. */
const MOST_AT_ONCE = 500

/** Where a message is, seen from this page. */
export type MessagePlaceHere = 'here' | 'elsewhere' | 'nowhere' | 'failed'

/** Loads the messages before the oldest one that is here, a page at a time. */
export class OlderMessages {
  private loading: Promise<void> | undefined

  constructor(
    private readonly chat: Chat,
    private readonly state: Store<SessionState>,
  ) {}

  /** `limit`: how many; without it, a page. While a page is loading, its end. */
  load(limit?: number): Promise<void> {
    this.loading ??= this.request(limit).finally(() => {
      this.loading = undefined
    })
    return this.loading
  }

  private async request(limit: number | undefined): Promise<void> {
    const first = this.chat.messages[0]
    if (!first || !this.state.get().hasMore) return
    try {
      const page = await conversationsApi.get(this.chat.id, first.id, limit)
      this.chat.messages = [...page.messages, ...this.chat.messages]
      this.state.patch({ hasMore: page.hasMore })
    } catch (error) {
      showToast(errorMessage(error))
    }
  }

  /** Load all that is not here yet, as long as it is wanted. A failure is told to the user, and ends it. */
  async loadAll(isWanted: () => boolean): Promise<void> {
    for (let had = -1; had < this.chat.messages.length && this.state.get().hasMore && isWanted(); ) {
      had = this.chat.messages.length
      await this.load(MOST_AT_ONCE)
    }
  }

  /** Load all messages down from this one. Says where it is: among those that are here now, in another branch, or nowhere. A failure is told to the user here. */
  async loadUpTo(messageId: string): Promise<MessagePlaceHere> {
    const isHere = () => this.chat.messages.some((message) => message.id === messageId)
    if (isHere()) return 'here'
    try {
      const { shown, newer } = await conversationsApi.findMessage(this.chat.id, messageId)
      if (!shown) return 'elsewhere'
      const wanted = newer + 1 + AROUND
      for (let had = -1; had < this.chat.messages.length && !isHere(); ) {
        had = this.chat.messages.length
        await this.load(Math.min(Math.max(wanted - had, AROUND), MOST_AT_ONCE))
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return 'nowhere'
      showToast(errorMessage(error))
    }
    return isHere() ? 'here' : 'failed'
  }
}
