import type { ChatMessage, SendOptions } from '../../api/messageTypes'
import type { SessionContext } from './sessionContext'
import type { Outbox } from './outbox'
import { Reconnection, type RetryStep } from './reconnection'
import { isDisconnect, nextStep, type StreamRequest } from './recovery'
import { waitReasonOf } from './status'

/** What the rest of the session does when the stream changes. */
export type StreamListener = {
  /** A request goes out: reads of the conversation that began earlier are out of date. */
  onRequest(): void
  /** The answer is complete, or pauses. */
  onAnswerEnd(): void
  /** There was nothing to resume: the stored conversation is complete. */
  onNothingToResume(): void
  /** Another page sends the message that this one has tried to send. */
  onMessageTakenOver(): Promise<void>
}

/** How the Chat says that a stream is over. */
export type StreamFinish = { readonly isAbort: boolean; readonly isDisconnect: boolean; readonly finishReason?: string | undefined }

/** The requests of one conversation over the chat socket. A stream that breaks is picked up again without the user. */
export class AnswerStream {
  /** Model, thinking and switches of the next request, as chosen in the composer. */
  options: SendOptions = { modelId: null, thinking: false, switches: {} }
  private lastRequest: StreamRequest | undefined
  /** How the newest stream ended; `idle` until the server sends anything. */
  private ending = { finished: false, left: false, idle: false }
  private readonly reconnection: Reconnection

  constructor(
    private readonly context: SessionContext,
    private readonly outbox: Outbox,
    private readonly listener: StreamListener,
  ) {
    this.reconnection = new Reconnection(context.state, (step) => this.repeat(step))
  }

  /** Whether an answer arrives, or is about to. */
  get busy(): boolean {
    const { connection } = this.context.state.get()
    return this.isStreaming || connection === 'reconnecting' || connection === 'joining'
  }

  /** The message that the server refused, if any. It is on screen, but no part of the conversation. */
  get refusedMessage(): ChatMessage | undefined {
    const { chat } = this.context
    return chat.error && this.lastRequest === 'send' && this.isUnanswered ? chat.lastMessage : undefined
  }

  send(message: ChatMessage): Promise<void> {
    this.outbox.add(message)
    return this.run('send', () => this.context.chat.sendMessage(message, { body: this.options }))
  }

  /** Answer a question once more, in place of the answer `answerId`. Without an id: the last one. */
  regenerate(answerId?: string): Promise<void> {
    return this.run('regenerate', () => this.context.chat.regenerate({ ...(answerId && { messageId: answerId }), body: this.options }))
  }

  /** After a failure: a message that the server refused or never got goes out again; anything else is answered again. */
  retry(): Promise<void> {
    return this.lastRequest === 'send' && this.isUnanswered ? this.resend() : this.regenerate()
  }

  /** Follow an answer that goes on, or that was asked for elsewhere. */
  async follow(): Promise<void> {
    if (this.busy) return
    this.context.state.patch({ connection: 'joining' })
    await this.resume()
  }

  /** Try again without a pause. A stream that was given up stays so while something newer is answered. */
  reconnectNow(): void {
    const { connection } = this.context.state.get()
    if (connection === 'reconnecting' || (connection === 'lost' && !this.isStreaming)) this.reconnection.retryNow()
  }

  /** An attempt that waits for its pause is made at once. */
  hurry(): void {
    this.reconnection.hurry()
  }

  /** Remove a refused message from the screen. */
  dropRefused(): void {
    const { chat } = this.context
    if (this.refusedMessage) chat.messages = chat.messages.slice(0, -1)
  }

  /** The messages on screen are the stored ones: there is nothing left to send again. */
  forgetRequest(): void {
    this.lastRequest = undefined
  }

  close(): void {
    this.reconnection.cancel()
  }

  /** The Chat calls this in the tick in which its status changes, so that no frame between shows the answer as complete. */
  handleFinish({ isAbort, isDisconnect, finishReason }: StreamFinish): void {
    const { chat, state } = this.context
    this.ending = { finished: finishReason !== undefined, left: isAbort, idle: false }
    const isCut = !isAbort && !finishReason && (isDisconnect || !chat.error)
    state.patch(isCut ? { connection: 'reconnecting' } : { waiting: waitReasonOf(chat.lastMessage) })
  }

  private get isStreaming(): boolean {
    const { status } = this.context.chat
    return status === 'submitted' || status === 'streaming'
  }

  private get isUnanswered(): boolean {
    return this.context.chat.lastMessage?.role === 'user'
  }

  private async run(request: StreamRequest, start: () => Promise<void>): Promise<void> {
    const { chat, state } = this.context
    this.reconnection.cancel()
    if (request !== 'resume') this.lastRequest = request
    this.ending = { finished: false, left: false, idle: request === 'resume' }
    state.patch({ waiting: null })
    this.listener.onRequest()
    const before = chat.lastMessage
    await start()
    const hasProgressed = !this.isUnanswered && chat.lastMessage !== before
    if (hasProgressed) this.outbox.clear()
    if (hasProgressed && chat.error) this.reconnection.reset()
    this.settle(request)
  }

  private settle(request: StreamRequest): void {
    const { chat } = this.context
    const { error } = chat
    if (this.ending.finished && isDisconnect(error)) chat.clearError() // the answer is whole: a connection lost right behind it is nothing to show
    const step = nextStep({ ...this.ending, request, error, unanswered: this.isUnanswered })
    if (step === 'resume' || step === 'resend') return this.reconnection.schedule(step, error)
    this.reconnection.reset()
    this.context.state.patch({ connection: 'steady', stopping: false })
    if (step === 'reload') this.listener.onNothingToResume()
    else if (!this.ending.left) this.listener.onAnswerEnd()
  }

  private async repeat(step: RetryStep): Promise<void> {
    const { lastMessage } = this.context.chat
    if (step === 'resume') return this.resume()
    if (!lastMessage || !this.outbox.wasTakenOver(lastMessage)) return this.resend()
    this.reconnection.reset()
    this.context.state.patch({ connection: 'steady' })
    await this.listener.onMessageTakenOver()
  }

  private resume(): Promise<void> {
    return this.run('resume', () => this.context.chat.resumeStream())
  }

  /** The same message under the same id: the server accepts it once. */
  private resend(): Promise<void> {
    const { chat } = this.context
    const message = chat.lastMessage
    if (message?.role !== 'user') return this.resume()
    chat.messages = chat.messages.slice(0, -1)
    return this.send(message)
  }
}
