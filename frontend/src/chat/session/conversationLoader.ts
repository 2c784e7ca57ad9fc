import { ApiError, errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import type { ChatMessage, Conversation } from '../../api/messageTypes'
import { showToast } from '../../ui/toasts'
import type { AnswerStream } from './answerStream'
import type { SessionContext } from './sessionContext'
import { gapAfterJoin, joinHistory } from './history'
import type { MessageQueue } from './messageQueue'
import type { Outbox } from './outbox'

/** Reads the stored conversation and brings the page in line with it. */
export class ConversationLoader {
  /** Counts what changes the conversation from here. */
  private changes = 0

  constructor(
    private readonly context: SessionContext,
    private readonly stream: AnswerStream,
    private readonly outbox: Outbox,
    private readonly queue: MessageQueue,
  ) {}

  /** Read the conversation when it is shown for the first time, or after a failure. */
  async open(): Promise<void> {
    const { load } = this.context.state.get()
    if (load !== 'waiting' && load !== 'failed') return
    this.context.state.patch({ load: 'loading' })
    await this.reload()
  }

  /** Read the conversation again, and follow its run if one is active. */
  async reload(): Promise<void> {
    const { changes } = this
    try {
      const conversation = await conversationsApi.get(this.context.id)
      if (this.stream.busy || changes !== this.changes) return
      this.adopt(conversation)
      if (conversation.activeRun) await this.stream.follow()
      else this.queue.settle(Boolean(conversation.waiting))
    } catch (error) {
      this.handleFailure(error)
    }
  }

  /** Read the conversation after a resume that found no run. A run that appears meanwhile is not followed: that could go on for ever. */
  async reloadWithoutFollowing(): Promise<void> {
    try {
      const conversation = await conversationsApi.get(this.context.id)
      this.adopt(conversation)
      if (!conversation.activeRun) this.queue.settle(Boolean(conversation.waiting))
    } catch (error) {
      this.handleFailure(error)
    }
  }

  /** The server accepted a message or a decision into the answer. A page that follows the answer sees it; any other one catches up. */
  async catchUp(resumed: boolean): Promise<void> {
    if (this.stream.busy) return
    await (resumed ? this.stream.follow() : this.reload())
  }

  /** Something changed from here: reads that are under way are out of date. */
  invalidateReads(): void {
    this.changes++
  }

  private adopt(conversation: Conversation): void {
    const { chat, state } = this.context
    const { messages, hasOlder } = joinHistory(chat.messages, conversation.messages)
    const { title, modelId, assistant, projectId, artifacts } = conversation
    const { refusedMessage } = this.stream
    if (refusedMessage) this.outbox.returnRefusedUnlessStored(refusedMessage, messages)
    this.takeOverLeftover(messages)
    chat.messages = messages
    this.stream.forgetRequest()
    const waiting = conversation.activeRun ? null : conversation.waiting
    state.patch({ load: 'ready', title, modelId, assistant, projectId, isTemporary: Boolean(conversation.expiresAt), artifacts, waiting, hasMore: hasOlder ? state.get().hasMore : conversation.hasMore, gapBefore: gapAfterJoin(state.get().gapBefore, conversation.messages, messages) })
  }

  /** Only where the conversation is opened: while it is read again, the page that sent the message may still be trying. */
  private takeOverLeftover(storedMessages: readonly ChatMessage[]): void {
    if (this.context.state.get().load !== 'ready' && !this.stream.busy) this.outbox.takeOverLeftover(storedMessages)
  }

  private handleFailure(error: unknown): void {
    const { state } = this.context
    if (state.get().load === 'ready') return showToast(errorMessage(error))
    const isMissing = error instanceof ApiError && error.status === 404
    if (isMissing && this.outbox.hasLeftover) return this.beginAgain()
    state.patch({ load: isMissing ? 'missing' : 'failed' })
  }

  /** The first message never arrived: the conversation is still to begin. */
  private beginAgain(): void {
    this.context.state.patch({ load: 'new' })
    this.takeOverLeftover([])
  }
}
