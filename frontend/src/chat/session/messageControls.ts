import type { FileUIPart } from 'ai'
import { errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import type { Feedback } from '../../api/generated'
import type { ChatMessage } from '../../api/messageTypes'
import { showToast } from '../../ui/toasts'
import { stableId } from '../stableId'
import type { AnswerStream } from './answerStream'
import type { SessionContext } from './sessionContext'
import type { ConversationLoader } from './conversationLoader'

/** What the user does to a single message: edits it, answers it again, deletes it, rates it, shows another branch. */
export class MessageControls {
  /** Whether a new branch began here: only the server knows the messages beside it. */
  private hasNewBranch = false

  constructor(
    private readonly context: SessionContext,
    private readonly stream: AnswerStream,
    private readonly loader: ConversationLoader,
  ) {}

  /** Open the newest question for editing, unless an answer is being written. */
  openNewest(): void {
    const question = this.context.chat.messages.findLast((message) => message.role === 'user')
    if (question && !this.stream.busy) this.context.state.patch({ editingId: stableId(question) })
  }

  /** Send another text in the place of a question. What was there stays, as a branch beside it. */
  async edit(question: ChatMessage, text: string, files: readonly FileUIPart[]): Promise<void> {
    const { chat, state } = this.context
    const place = chat.messages.findIndex((message) => message.id === question.id)
    if (place < 0 || this.stream.busy) return
    chat.messages = chat.messages.slice(0, place)
    state.patch({ editingId: '', sentCount: state.get().sentCount + 1 })
    this.hasNewBranch = true
    // The same id with other content is an edit (docs/protocol.md).
    await this.stream.send({ id: question.id, role: 'user', parts: [...(text ? [{ type: 'text' as const, text }] : []), ...files] })
  }

  /** Answer a question once more; the former answer stays beside the new one. Without an id: the last answer. */
  async regenerate(answerId?: string): Promise<void> {
    this.hasNewBranch = true
    await this.stream.regenerate(answerId)
  }

  /** An answer has ended. Reads what is beside a new branch. */
  handleAnswerEnd(): void {
    if (!this.hasNewBranch) return
    this.hasNewBranch = false
    void this.loader.reload()
  }

  showBranch(messageId: string): Promise<void> {
    return this.change(() => conversationsApi.showBranch(this.context.id, messageId))
  }

  remove(messageId: string): Promise<void> {
    return this.change(() => conversationsApi.removeMessage(this.context.id, messageId))
  }

  /** Store what the user thinks of an answer; null takes it back. Returns whether that worked. */
  async rate(answerId: string, feedback: Feedback | null): Promise<boolean> {
    const before = this.feedbackOf(answerId)
    this.setFeedback(answerId, feedback)
    try {
      await (feedback ? conversationsApi.setFeedback(this.context.id, answerId, feedback) : conversationsApi.clearFeedback(this.context.id, answerId))
      return true
    } catch (error) {
      this.setFeedback(answerId, before)
      showToast(errorMessage(error))
      return false
    }
  }

  private feedbackOf(answerId: string): Feedback | null {
    return this.context.chat.messages.find((message) => message.id === answerId)?.metadata?.feedback ?? null
  }

  private setFeedback(answerId: string, feedback: Feedback | null): void {
    const { chat } = this.context
    chat.messages = chat.messages.map((message) => (message.id === answerId ? { ...message, metadata: { ...message.metadata, feedback } } : message))
  }

  private async change(request: () => Promise<unknown>): Promise<void> {
    try {
      await request()
      this.loader.invalidateReads()
      await this.loader.reload()
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
}
