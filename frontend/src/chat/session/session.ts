// A conversation in this page, outside React, so that it goes on while another one is shown. Session puts its pieces together:
// - Chat holds the messages; the AI SDK, which writes answers into them, is loaded when the server is first asked for something.
// - AnswerStream sends requests over the chat socket. Reconnection repeats a broken one, and recovery.ts decides how.
// - Outbox stores the user's message until its answer begins.
// - MessageQueue sends what the user writes into a running answer.
// - ConversationLoader reads the stored conversation, and OlderMessages the pages before it.
// - MessageControls edits, deletes and rates single messages, and shows other branches.
// - AnswerControls stops an answer, and sends decisions about its tool calls.
// sessions.ts holds the sessions of the page.
import type { FileUIPart } from 'ai'
import type { ArtifactPart } from '../../api/artifactTypes'
import type { ConversationItem } from '../../api/generated'
import type { ChatMessage } from '../../api/messageTypes'
import { receiveArtifactPart, type ArtifactDataPart } from '../../artifacts/store'
import { withArtifact } from '../../artifacts/summaries'
import { saveUnsavedEdits } from '../../artifacts/unsavedEdits'
import { readDraft, writeDraft } from '../../browser/drafts'
import { freshDraftId } from '../../browser/freshDraft'
import { randomUuid } from '../../browser/uuid'
import { Attachments } from '../../files/attachments'
import { createStore } from '../../ui/store'
import { AnswerControls } from './answerControls'
import { AnswerStream } from './answerStream'
import { Chat } from './chat'
import { ConversationLoader } from './conversationLoader'
import { MessageControls } from './messageControls'
import { MessageQueue } from './messageQueue'
import { OlderMessages } from './olderMessages'
import { Outbox } from './outbox'
import { INITIAL_STATE, type SessionState } from './sessionState'
import { receiveToolProgress } from './toolProgress'
import { readUnsent } from './unsentStorage'

export class Session {
  readonly chat: Chat
  readonly state = createStore<SessionState>(INITIAL_STATE)
  /** Files for the next message; those of a new chat are stored under the id of the tab, like its text. */
  readonly attachments = new Attachments(() => this.draftId)
  readonly stream: AnswerStream
  readonly queue: MessageQueue
  readonly older: OlderMessages
  readonly messages: MessageControls
  private readonly outbox: Outbox
  private readonly loader: ConversationLoader
  private readonly controls: AnswerControls

  constructor(
    readonly id: string,
    isNew: boolean,
  ) {
    this.state.patch(isNew ? { load: 'new' } : { queue: readUnsent(id) })
    this.chat = new Chat(id, {
      onData: (part) => this.receivePart(part),
      onFinish: (finish) => this.stream.handleFinish(finish),
    })
    this.outbox = new Outbox(this)
    this.stream = new AnswerStream(this, this.outbox, {
      onRequest: () => this.loader.invalidateReads(),
      onAnswerEnd: () => {
        this.queue.settle(Boolean(this.state.get().waiting))
        this.messages.handleAnswerEnd()
      },
      onNothingToResume: () => void this.loader.reloadWithoutFollowing(),
      onMessageTakenOver: () => this.loader.reload(),
    })
    this.queue = new MessageQueue(this, {
      isBusy: () => this.busy,
      onAccepted: (resumed) => void this.loader.catchUp(resumed),
      sendAsNew: (text) => void this.send(text),
    })
    this.loader = new ConversationLoader(this, this.stream, this.outbox, this.queue)
    this.controls = new AnswerControls(this, this.stream, this.loader)
    this.messages = new MessageControls(this, this.stream, this.loader)
    this.older = new OlderMessages(this.chat, this.state)
  }

  /** Where the text and the files of the message box are stored. */
  get draftId(): string {
    return this.state.get().load === 'new' ? freshDraftId() : this.id
  }

  /** Whether an answer arrives, or is about to. */
  get busy(): boolean {
    return this.stream.busy
  }

  /** The message that the server refused, if any. */
  get refusedMessage(): ChatMessage | undefined {
    return this.stream.refusedMessage
  }

  open(): Promise<void> {
    return this.loader.open()
  }

  reload(): Promise<void> {
    return this.loader.reload()
  }

  /** Send what the user wrote: into an answer that runs or waits, else as a message of its own, with the files of the message box or without. */
  async write(text: string, withFiles = true): Promise<void> {
    const saving = saveUnsavedEdits()
    if (saving) await this.keepDuring(saving, text)
    const { sentCount, waiting } = this.state.get()
    this.state.patch({ sentCount: sentCount + 1 })
    return this.busy || waiting ? this.queue.send(text) : this.send(text, withFiles ? this.attachments.take() : [])
  }

  /** Send a message of its own. It takes the place of one that the server refused. */
  send(text: string, files: readonly FileUIPart[] = []): Promise<void> {
    const { load } = this.state.get()
    this.stream.dropRefused()
    this.state.patch({ load: load === 'new' ? 'ready' : load })
    return this.stream.send({ id: randomUuid(), role: 'user', parts: [...(text ? [{ type: 'text' as const, text }] : []), ...files] })
  }

  retry(): Promise<void> {
    return this.stream.retry()
  }

  /** Take a message that the server refused back into the message box. */
  editRefused(): void {
    const { refusedMessage } = this
    if (!refusedMessage) return
    this.stream.dropRefused()
    this.outbox.returnRefused(refusedMessage, '')
    if (this.state.get().load === 'ready') void this.reload() // a refused edit took the place of what is stored
  }

  stop(): Promise<void> {
    return this.controls.stop()
  }

  decide(approvalId: string, approved: boolean, reason = '', lasts = false): Promise<void> {
    return this.controls.decide(approvalId, approved, reason, lasts)
  }

  /** Try again now: the connection came back, or the user asked. */
  recover(): void {
    this.stream.reconnectNow()
    void this.queue.flush()
  }

  /** What waits for a pause to be over is tried at once. */
  hurry(): void {
    this.stream.hurry()
  }

  /** The server announced the state of the conversation. Elsewhere a run was started or decided about, or another branch was chosen. */
  handleAnnouncement({ activeRun, waiting, headId }: Pick<ConversationItem, 'activeRun' | 'waiting' | 'headId'>): void {
    const state = this.state.get()
    if (this.busy || state.load !== 'ready') return
    const isOtherBranch = !this.refusedMessage && headId !== (this.chat.lastMessage?.id ?? null)
    if (activeRun || waiting || state.waiting || isOtherBranch) void this.reload()
  }

  /** Somebody deleted the conversation. */
  handleDeletion(): void {
    this.stream.close()
    this.state.patch({ load: 'missing', connection: 'steady', queue: [] })
  }

  /** An artifact changed outside the answer. */
  receiveArtifact(artifact: ArtifactPart): void {
    this.receivePart({ type: 'data-artifact', id: artifact.id, data: artifact })
  }

  /** The message box is empty by now, so that it can store the text for a page that is closed meanwhile. */
  private async keepDuring(work: Promise<unknown>, text: string): Promise<void> {
    const { draftId } = this
    if (!readDraft(draftId)) writeDraft(draftId, text)
    await work
    if (readDraft(draftId) === text) writeDraft(draftId, '')
  }

  private receivePart(part: ArtifactDataPart): void {
    if (part.type === 'data-tool-progress') return receiveToolProgress(part.data)
    receiveArtifactPart(this.id, part)
    if (part.type === 'data-artifact') this.state.patch({ artifacts: withArtifact(this.state.get().artifacts, part.data) })
  }
}
