import { t } from '@lingui/core/macro'
import { ApiError, errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import type { ChatMessage } from '../../api/messageTypes'
import type { Store } from '../../ui/store'
import { showToast } from '../../ui/toasts'
import { stableId } from '../stableId'
import type { Chat } from './chat'
import { joinEarlier } from './history'
import type { SessionState } from './sessionState'

/** Messages that are loaded above the one that is looked for. */
const AROUND = 20
/** The server's limit. */
const MOST_AT_ONCE = 500
/** Messages that are loaded at once for a reader who comes from an earlier day. */
const GAP_PAGE = 50

/** Where a message is, seen from this page. */
export type MessagePlaceHere = 'here' | 'elsewhere' | 'nowhere' | 'failed'

/** Loads the messages before the oldest one that is here, a page at a time, and those of an earlier day without what lies between. */
export class OlderMessages {
  private loading: Promise<void> | undefined
  private filling: Promise<void> | undefined

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
      if (this.chat.messages[0]?.id !== first.id) return // the reader went to another day meanwhile, or another branch is shown
      this.chat.messages = [...page.messages, ...this.chat.messages]
      this.state.patch({ hasMore: page.hasMore })
    } catch (error) {
      showToast(errorMessage(error))
    }
  }

  /** The newest messages that follow each other without a gap. */
  private get newest(): ChatMessage[] {
    return this.chat.messages.slice(Math.max(this.gap, 0))
  }

  /** The place of the message before which others are missing; -1: none are. */
  private get gap(): number {
    return this.chat.messages.findIndex(({ id }) => id === this.state.get().gapBefore)
  }

  /**
   * Load the first page that was written at this time or later, without what lies between it and the newest messages. Returns the message
   * with which it begins, under the id that it has here; undefined: there is none, or it is not wanted any more. A failure is told to the
   * user here.
   */
  async loadSince(time: Date, isWanted: () => boolean): Promise<ChatMessage | undefined> {
    try {
      const page = await conversationsApi.getFrom(this.chat.id, { since: time.toISOString() })
      if (!isWanted()) return undefined
      const [first] = page.messages
      if (!first) {
        showToast(t`Nothing was written on that day or later.`)
        return undefined
      }
      const here = this.chat.messages.find((message) => stableId(message) === stableId(first))
      if (here) return { ...first, id: here.id }
      const { messages, gapBefore } = joinEarlier(page.messages, this.newest)
      this.chat.messages = messages
      this.state.patch({ hasMore: page.hasMore, gapBefore })
      return first
    } catch (error) {
      showToast(errorMessage(error))
      return undefined
    }
  }

  /** Load the messages after the gap's beginning: a page, or `limit` of them. While they are loading, their end. */
  loadIntoGap(limit = GAP_PAGE): Promise<void> {
    this.filling ??= this.requestIntoGap(limit).finally(() => {
      this.filling = undefined
    })
    return this.filling
  }

  private async requestIntoGap(limit: number): Promise<void> {
    const last = this.chat.messages[this.gap - 1]
    if (!last) return
    try {
      const page = await conversationsApi.getFrom(this.chat.id, { from: last.id }, limit)
      const { gap } = this
      if (gap < 1 || this.chat.messages[gap - 1]?.id !== last.id) return // something else changed the conversation meanwhile
      const { messages, gapBefore } = joinEarlier(page.messages, this.newest)
      this.chat.messages = [...this.chat.messages.slice(0, gap - 1), ...messages]
      this.state.patch({ gapBefore })
    } catch (error) {
      showToast(errorMessage(error))
    }
  }

  /** Load all that is missing between messages that are here, as long as it is wanted. */
  async fillGap(isWanted: () => boolean): Promise<void> {
    for (let had = -1; had < this.chat.messages.length && this.gap > 0 && isWanted(); ) {
      had = this.chat.messages.length
      await this.loadIntoGap(MOST_AT_ONCE)
    }
  }

  /** Load all that is not here yet, as long as it is wanted. A failure is told to the user, and ends it. */
  async loadAll(isWanted: () => boolean): Promise<void> {
    await this.fillGap(isWanted)
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
      this.leaveEarlierDay()
      const targetCount = newer + 1 + AROUND
      for (let had = -1; had < this.chat.messages.length && !isHere(); ) {
        had = this.chat.messages.length
        await this.load(Math.min(Math.max(targetCount - had, AROUND), MOST_AT_ONCE))
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return 'nowhere'
      showToast(errorMessage(error))
    }
    return isHere() ? 'here' : 'failed'
  }

  /** Let go of what is above the gap, so that older messages follow the newest ones again. */
  private leaveEarlierDay(): void {
    if (this.gap < 1) return
    this.chat.messages = this.newest
    this.state.patch({ hasMore: true, gapBefore: '' })
  }
}
