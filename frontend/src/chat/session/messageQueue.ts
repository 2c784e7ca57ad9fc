import { t } from '@lingui/core/macro'
import { backoffMs } from '../../api/backoff'
import { ApiError, isUnreachable, errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import { randomUuid } from '../../browser/uuid'
import type { SessionContext } from './sessionContext'
import { joinTexts, newQueuedMessage, notYetShown, withChange, withoutMessage, type QueuedMessage } from './queuedMessages'
import { returnToComposer } from './returnToComposer'
import { writeUnsent } from './unsentStorage'

/** The answer that the messages go into. */
export type RunningAnswer = {
  /** Whether it is still being written. */
  isBusy(): boolean
  /** The server accepted a message. `resumed`: the answer waited and goes on now. */
  onAccepted(resumed: boolean): void
  /** Send a message of its own. */
  sendAsNew(text: string): void
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/** What the user writes while an answer runs or waits. It goes into that answer (docs/protocol.md, "While an answer runs"), in the order in which it was written. */
export class MessageQueue {
  private attempt = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private flushing = false

  constructor(
    private readonly context: SessionContext,
    private readonly answer: RunningAnswer,
  ) {}

  /** Whether messages wait until the server can be reached. */
  get hasOffline(): boolean {
    return this.flushing || this.in('offline').length > 0
  }

  send(text: string): Promise<void> {
    const message = newQueuedMessage(randomUuid(), text)
    const state = this.in('late').length ? 'late' : this.hasOffline ? 'offline' : 'sending'
    this.setMessages([...this.messages, { ...message, state }])
    if (state === 'late') return Promise.resolve()
    return state === 'offline' ? this.flush() : this.post(message)
  }

  /** Send what is offline, oldest first: the server may be there again. */
  async flush(): Promise<void> {
    clearTimeout(this.timer)
    if (this.flushing || this.context.state.get().connection === 'lost') return
    this.flushing = true
    let [next] = this.in('offline')
    while (next) {
      this.change(next.id, { state: 'sending' })
      await this.post(next)
      if (this.in('late').length) for (const { id } of this.in('offline')) this.change(id, { state: 'late' })
      const [first] = this.in('offline')
      next = first?.id === next.id ? undefined : first
    }
    this.flushing = false
    if (this.hasOffline) this.flushLater()
  }

  /** Send a failed message once more under its id, which the server accepts once. */
  retry(id: string): Promise<void> {
    const message = this.failedMessage(id)
    if (!message) return Promise.resolve()
    this.change(id, { state: 'sending', error: '' })
    return this.post(message)
  }

  /** Take a failed message back into the message box. */
  edit(id: string): void {
    const message = this.failedMessage(id)
    if (!message) return
    this.setMessages(withoutMessage(this.messages, id))
    returnToComposer(this.context, message)
  }

  /** The answer is over. What it did not read goes back into the message box; what came too late goes out by itself. `paused`: it will go on, and read the rest then. */
  settle(paused: boolean): void {
    const open = notYetShown(this.messages, this.context.chat.messages)
    const unread = open.filter((one) => one.state === 'accepted' && !paused)
    const late = open.filter((one) => one.state === 'late')
    this.setMessages(open.filter((one) => !unread.includes(one) && !late.includes(one)))
    if (unread.length) returnToComposer(this.context, { text: joinTexts(unread) }, t`The answer ended before it read your message. It is back in the message box.`)
    if (late.length) this.answer.sendAsNew(joinTexts(late))
  }

  private async post({ id, text }: QueuedMessage): Promise<void> {
    try {
      const { resumed } = await conversationsApi.sendInput(this.context.id, { id, text })
      this.attempt = 0
      this.change(id, { state: 'accepted' })
      this.answer.onAccepted(resumed)
    } catch (error) {
      this.handleFailure(id, error)
    }
  }

  private handleFailure(id: string, error: unknown): void {
    if (isUnreachable(error)) return this.waitForServer(id)
    if (!this.isLate(error)) return this.change(id, { state: 'failed', error: errorMessage(error) })
    this.change(id, { state: 'late' })
    if (!this.answer.isBusy()) this.settle(false)
  }

  private waitForServer(id: string): void {
    this.change(id, { state: 'offline' })
    if (!this.flushing) this.flushLater()
  }

  private flushLater(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.flush(), backoffMs(this.attempt++, FIRST_PAUSE_MS, MAX_PAUSE_MS))
  }

  /** No run to go into: it is over, or the first message of a new conversation is not stored yet. */
  private isLate(error: unknown): boolean {
    if (!(error instanceof ApiError)) return false
    return error.code === 'run_over' || (error.code === 'not_found' && this.answer.isBusy())
  }

  private get messages(): readonly QueuedMessage[] {
    return this.context.state.get().queue
  }

  private in(state: QueuedMessage['state']): readonly QueuedMessage[] {
    return this.messages.filter((one) => one.state === state)
  }

  private failedMessage(id: string): QueuedMessage | undefined {
    return this.in('failed').find((one) => one.id === id)
  }

  private change(id: string, change: Partial<QueuedMessage>): void {
    this.setMessages(withChange(this.messages, id, change))
  }

  private setMessages(queue: readonly QueuedMessage[]): void {
    this.context.state.patch({ queue })
    writeUnsent(this.context.id, queue)
  }
}
