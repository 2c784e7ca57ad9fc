import { Chat } from '@ai-sdk/react'
import type { FileUIPart } from 'ai'
import { api, ApiError, sentence } from '../../api/client'
import type { ArtifactPart } from '../../api/artifactTypes'
import type { Conversation, ConversationItem } from '../../api/conversationTypes'
import type { ChatMessage, SendOptions } from '../../api/messageTypes'
import { randomUuid } from '../../browser/uuid'
import { withArtifact } from '../../artifacts/summaries'
import { receiveArtifactPart, type ArtifactDataPart } from '../../artifacts/store'
import { Attachments } from '../../files/attachments'
import { fileIdsOf } from '../../files/parts'
import { createStore } from '../../ui/store'
import { showToast } from '../../ui/toasts'
import { joinHistory } from './history'
import { Interjections, type Host } from './messageQueue'
import { OlderMessages } from './olderMessages'
import { nextStep, MOST_ATTEMPTS, pauseMs, type Request } from './recovery'
import { NEW_STATE, type SessionState } from './state'
import { waitingOf } from './status'
import { textOf } from '../messageText'
import { transport } from './transport'
import { readSending, readUnsent, writeSending, writeUnsent } from './unsentStorage'

const NOT_SENT = 'Your message was not sent. It is back in the message box.'

const isSame = (one: ChatMessage, other: ChatMessage): boolean =>
  textOf(one) === textOf(other) && fileIdsOf(one).join() === fileIdsOf(other).join()

/** One conversation in this page: its Chat, and everything that keeps the Chat whole when the network does not. Lives outside React. */
export class Session {
  readonly chat: Chat<ChatMessage>
  readonly state = createStore<SessionState>(NEW_STATE)
  /** Model and thinking of the next request, as chosen in the composer. */
  options: SendOptions = { modelId: null, thinking: false }
  readonly interjections: Interjections
  readonly older: OlderMessages
  /** Files for the next message; those of a new chat are kept under one fixed id, like its text. */
  readonly attachments = new Attachments(() => (this.state.get().load === 'new' ? 'new' : this.id))
  private finishReason: string | undefined
  private left = false
  private idle = false
  private lastRequest: Request | undefined
  private attempt = 0
  private nextTry: 'resume' | 'resend' = 'resume'
  /** Storage holds the message that was sent last; a browser may have none. */
  private isKept = false
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Counts what changes the conversation from here: a read that began before the newest change is out of date. */
  private changes = 0

  constructor(
    readonly id: string,
    isNew: boolean,
  ) {
    this.state.patch(isNew ? { load: 'new' } : { pending: readUnsent(id) })
    this.chat = new Chat<ChatMessage>({
      id,
      transport,
      generateId: randomUuid,
      onData: (part) => this.received(part),
      onFinish: ({ isAbort, isDisconnect, finishReason }) => this.ended(isAbort, isDisconnect, finishReason),
    })
    this.interjections = new Interjections(this.host())
    this.older = new OlderMessages(this.chat, this.state)
  }

  get busy(): boolean {
    const { connection } = this.state.get()
    return this.isStreaming() || connection === 'reconnecting' || connection === 'joining'
  }

  /** Read the conversation, once. */
  async open(): Promise<void> {
    const { load } = this.state.get()
    if (load !== 'waiting' && load !== 'failed') return
    this.state.patch({ load: 'loading' })
    await this.reload()
  }

  /** What the user wrote: it goes into an answer that runs or waits, else it is a message of its own, with the files of the message box or without. */
  write(text: string, withFiles = true): Promise<void> {
    this.state.patch({ sent: this.state.get().sent + 1 })
    const isPart = this.busy || this.state.get().waiting
    return isPart ? this.interjections.send(text) : this.send(text, withFiles ? this.attachments.take() : [])
  }

  send(text: string, files: readonly FileUIPart[] = []): Promise<void> {
    const { load } = this.state.get()
    this.dropRefused()
    this.state.patch({ load: load === 'new' ? 'ready' : load })
    const message: ChatMessage = { id: randomUuid(), role: 'user', parts: [...(text ? [{ type: 'text' as const, text }] : []), ...files] }
    return this.submit(message)
  }

  /** Answer the last user message once more, in place of the last answer. */
  regenerate(): Promise<void> {
    return this.run('regenerate', () => this.chat.regenerate({ body: this.options }))
  }

  /** After a failure: a message that the server refused or never got goes out again, anything else is answered again. */
  retry(): Promise<void> {
    return this.lastRequest === 'send' && this.isUnanswered() ? this.resend() : this.regenerate()
  }

  /** Take a message that the server refused back into the message box. */
  editRefused(): void {
    const refused = this.refused()
    if (!refused) return
    this.dropRefused()
    this.takeBack(refused, '')
  }

  /** Ask the server to stop; what was written so far stays. The stream then ends by itself. */
  async stop(): Promise<void> {
    if (this.state.get().stopping) return
    this.state.patch({ stopping: true })
    try {
      const { stopping } = await api.stop(this.id)
      if (!stopping || !this.busy) await this.leaveAndReload()
    } catch (error) {
      this.state.patch({ stopping: false })
      showToast(sentence(error))
    }
  }

  /** Allow or refuse a tool call. Throws an ApiError; a call that was decided elsewhere is no error. */
  async decide(approvalId: string, approved: boolean, reason = ''): Promise<void> {
    const decision = { approved, ...(reason && { reason }) }
    try {
      const { resumed } = await api.decide(this.id, approvalId, decision)
      this.changes++
      await this.chat.addToolApprovalResponse({ id: approvalId, ...decision })
      this.taken(resumed)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_decided')) throw error
      showToast(sentence(error))
      if (!this.busy) await this.reload()
    }
  }

  /** Try again now: the connection came back, or the user asked. What was given up stays so while something newer is answered. */
  recover(): void {
    const { connection } = this.state.get()
    if (connection === 'reconnecting' || (connection === 'lost' && !this.isStreaming())) this.schedule(this.nextTry, 0, 0)
    void this.interjections.flush()
  }

  /** The server said how things stand here. What this page does not follow was asked for, or decided, elsewhere. */
  announce({ activeRun, waiting }: Pick<ConversationItem, 'activeRun' | 'waiting'>): void {
    const known = this.state.get()
    if (this.busy || known.load !== 'ready') return
    if (activeRun || waiting || known.waiting) void this.reload()
  }

  /** Somebody deleted the conversation. */
  removed(): void {
    clearTimeout(this.timer)
    this.state.patch({ load: 'missing', connection: 'steady', pending: [] })
  }

  /** Read the stored conversation again, and follow its run if one is active. */
  async reload(): Promise<void> {
    const { changes } = this
    try {
      const conversation = await api.conversation(this.id)
      if (this.busy || changes !== this.changes) return
      this.adopt(conversation)
      if (conversation.activeRun) await this.follow()
      else this.interjections.settle(Boolean(conversation.waiting))
    } catch (error) {
      this.failLoad(error)
    }
  }

  /** A new version came from another screen. */
  artifactChanged(artifact: ArtifactPart): void {
    this.received({ type: 'data-artifact', id: artifact.id, data: artifact })
  }

  private received(part: ArtifactDataPart): void {
    receiveArtifactPart(this.id, part)
    if (part.type === 'data-artifact') this.state.patch({ artifacts: withArtifact(this.state.get().artifacts, part.data) })
  }

  private adopt(conversation: Conversation): void {
    const { messages, kept } = joinHistory(this.chat.messages, conversation.messages)
    const { title, modelId, artifacts } = conversation
    this.giveBack(this.refused(), messages)
    this.giveBackSending(messages)
    this.chat.messages = messages
    const waiting = conversation.activeRun ? null : conversation.waiting
    this.state.patch({ load: 'ready', title, modelId, artifacts, waiting, hasMore: kept ? this.state.get().hasMore : conversation.hasMore })
  }

  /** A refused message that the stored conversation does not hold goes back into the message box, so that its text is not lost. */
  private giveBack(refused: ChatMessage | undefined, stored: readonly ChatMessage[]): void {
    if (!refused || stored.some((message) => message.role === 'user' && isSame(message, refused))) return
    this.takeBack(refused, NOT_SENT)
  }

  private takeBack(refused: ChatMessage, why: string): void {
    this.chat.clearError()
    writeSending(this.id, null)
    this.putBack(textOf(refused), why)
    this.attachments.restore(fileIdsOf(refused))
  }

  /** A page that was closed may have sent a message in vain: it comes back where the conversation is opened next, not where it is only read again, for its page may still be trying. */
  private giveBackSending(stored: readonly ChatMessage[]): void {
    const sending = readSending(this.id)
    if (!sending || this.state.get().load === 'ready' || this.busy || this.chat.lastMessage?.id === sending.id) return
    writeSending(this.id, null)
    if (stored.some((message) => message.metadata?.clientId === sending.id)) return
    this.putBack(sending.text, NOT_SENT)
    this.attachments.restore(sending.files ?? [])
  }

  private putBack(text: string, why: string): void {
    const { returned } = this.state.get()
    this.state.patch({ returned: returned ? `${returned}\n\n${text}` : text })
    if (why) showToast(why)
  }

  /** The message that the server refused, if any: on screen, but no part of the conversation. */
  refused(): ChatMessage | undefined {
    return this.chat.error && this.lastRequest === 'send' && this.isUnanswered() ? this.chat.lastMessage : undefined
  }

  private dropRefused(): void {
    if (this.refused()) this.chat.messages = this.chat.messages.slice(0, -1)
  }

  private failLoad(error: unknown): void {
    if (this.state.get().load === 'ready') return showToast(sentence(error))
    const isMissing = error instanceof ApiError && error.status === 404
    if (isMissing && readSending(this.id)) return this.beginAgain()
    this.state.patch({ load: isMissing ? 'missing' : 'failed' })
  }

  /** Its first message never arrived: the conversation is still to begin. */
  private beginAgain(): void {
    this.state.patch({ load: 'new' })
    this.giveBackSending([])
  }

  private isStreaming(): boolean {
    return this.chat.status === 'submitted' || this.chat.status === 'streaming'
  }

  private isUnanswered(): boolean {
    return this.chat.lastMessage?.role === 'user'
  }

  private submit(message: ChatMessage): Promise<void> {
    writeSending(this.id, { id: message.id, text: textOf(message), files: fileIdsOf(message) })
    this.isKept = this.keeps(message)
    return this.run('send', () => this.chat.sendMessage(message, { body: this.options }))
  }

  /** The server took what was sent into the answer. One that this page follows brings it; of any other the page asks how it stands. */
  private taken(resumed: boolean): void {
    if (this.busy) return
    void (resumed ? this.follow() : this.reload())
  }

  /** Follow an answer that goes on, or that was asked for elsewhere. */
  private async follow(): Promise<void> {
    if (this.busy) return
    this.state.patch({ connection: 'joining' })
    await this.resume()
  }

  private resume(): Promise<void> {
    return this.run('resume', () => this.chat.resumeStream())
  }

  /** The same message under the same id: the server takes it once. */
  private resend(): Promise<void> {
    const message = this.chat.lastMessage
    if (message?.role !== 'user') return this.resume()
    this.chat.messages = this.chat.messages.slice(0, -1)
    return this.submit(message)
  }

  private async run(request: Request, start: () => Promise<void>): Promise<void> {
    clearTimeout(this.timer)
    if (request !== 'resume') this.lastRequest = request
    this.finishReason = undefined
    this.left = false
    this.idle = request === 'resume'
    this.state.patch({ waiting: null })
    this.changes++
    const before = this.chat.lastMessage
    await start()
    const progressed = !this.isUnanswered() && this.chat.lastMessage !== before
    if (progressed) writeSending(this.id, null)
    if (this.chat.error && progressed) this.attempt = 0
    this.settle(request)
  }

  /** The Chat calls this when a stream that had begun is over, in the same tick in which its status changes. */
  private ended(left: boolean, disconnected: boolean, finishReason: string | undefined): void {
    this.left = left
    this.idle = false
    this.finishReason = finishReason
    const cut = !left && !finishReason && (disconnected || !this.chat.error)
    this.state.patch(cut ? { connection: 'reconnecting' } : { waiting: waitingOf(this.chat.lastMessage) })
  }

  private settle(request: Request): void {
    const step = nextStep({
      request,
      error: this.chat.error,
      finished: this.finishReason !== undefined,
      left: this.left,
      idle: this.idle,
      unanswered: this.isUnanswered(),
    })
    if (step === 'resume' || step === 'resend') return this.schedule(step, this.attempt)
    this.attempt = 0
    this.state.patch({ connection: 'steady', stopping: false })
    if (step === 'reload') void this.reloadStored()
    else if (!this.left) this.interjections.settle(Boolean(this.state.get().waiting))
  }

  /** Nothing is active on the server, so the stored conversation is the truth; no further resume. */
  private async reloadStored(): Promise<void> {
    try {
      const conversation = await api.conversation(this.id)
      this.adopt(conversation)
      if (!conversation.activeRun) this.interjections.settle(Boolean(conversation.waiting))
    } catch (error) {
      this.failLoad(error)
    }
  }

  private schedule(step: 'resume' | 'resend', attempt: number, pause = pauseMs(attempt)): void {
    clearTimeout(this.timer)
    this.nextTry = step
    if (attempt >= MOST_ATTEMPTS) return this.state.patch({ connection: 'lost', stopping: false })
    this.state.patch({ connection: 'reconnecting' })
    this.attempt = attempt + 1
    this.timer = setTimeout(() => void (step === 'resend' ? this.resendUnlessTaken() : this.resume()), pause)
  }

  /** Another page may have taken the message for one that was sent in vain: then it is in its box, and a second one may be on its way from there. */
  private async resendUnlessTaken(): Promise<void> {
    const message = this.chat.lastMessage
    if (!this.isKept || !message || this.keeps(message)) return this.resend()
    this.attempt = 0
    this.state.patch({ connection: 'steady' })
    await this.reload()
  }

  private keeps(message: ChatMessage): boolean {
    return readSending(this.id)?.id === message.id
  }

  private async leaveAndReload(): Promise<void> {
    await this.chat.stop()
    this.state.patch({ stopping: false, connection: 'steady' })
    await this.reload()
  }

  private host(): Host {
    return {
      id: this.id,
      messages: () => this.chat.messages,
      pending: () => this.state.get().pending,
      setPending: (pending) => {
        this.state.patch({ pending })
        writeUnsent(this.id, pending)
      },
      atRest: () => !this.busy,
      gaveUp: () => this.state.get().connection === 'lost',
      taken: (resumed) => this.taken(resumed),
      send: (text) => void this.send(text),
      giveBack: (text, why) => this.putBack(text, why),
    }
  }
}
