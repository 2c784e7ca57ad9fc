import type { ChatMessage } from '../../api/messageTypes'
import { fileIdsOf } from '../../files/fileParts'
import { textOf } from '../messageText'
import type { SessionContext } from './sessionContext'
import { notSent, returnToComposer } from './returnToComposer'
import { readSending, writeSending } from './unsentStorage'

const isSame = (one: ChatMessage, other: ChatMessage): boolean =>
  textOf(one) === textOf(other) && fileIdsOf(one).join() === fileIdsOf(other).join()

/**
 * The user's message between the message box and the first word of its answer.
 * It is stored until then, so that it survives a page that is closed meanwhile; the next page that opens the conversation takes it over.
 */
export class Outbox {
  /** Whether storage took the message: some browsers have no storage. */
  private isStored = false

  constructor(private readonly context: SessionContext) {}

  /** A message that may have been lost with the page that sent it. */
  get hasLeftover(): boolean {
    return readSending(this.context.id) !== undefined
  }

  add(message: ChatMessage): void {
    writeSending(this.context.id, { id: message.id, text: textOf(message), files: fileIdsOf(message) })
    this.isStored = this.isInStorage(message)
  }

  /** The answer began, so the message has arrived. */
  clear(): void {
    writeSending(this.context.id, null)
  }

  /** Whether another page took the message over: it is in the box there, and a second one may be on its way from it. */
  wasTakenOver(message: ChatMessage): boolean {
    return this.isStored && !this.isInStorage(message)
  }

  /** Puts a message that the server refused back into the message box. */
  returnRefused(message: ChatMessage, reason: string): void {
    this.context.chat.clearError()
    this.clear()
    returnToComposer(this.context, { text: textOf(message), fileIds: fileIdsOf(message) }, reason)
  }

  /** The same for one that is about to disappear from the screen, unless the stored conversation has it. */
  returnRefusedUnlessStored(message: ChatMessage, storedMessages: readonly ChatMessage[]): void {
    if (!storedMessages.some((other) => other.role === 'user' && isSame(other, message))) this.returnRefused(message, notSent())
  }

  /** Takes over what a closed page sent, if the stored conversation lacks it. */
  takeOverLeftover(storedMessages: readonly ChatMessage[]): void {
    const leftover = readSending(this.context.id)
    if (!leftover || this.context.chat.lastMessage?.id === leftover.id) return
    this.clear()
    if (storedMessages.some((message) => message.metadata?.clientId === leftover.id)) return
    returnToComposer(this.context, { text: leftover.text, fileIds: leftover.files }, notSent())
  }

  private isInStorage(message: ChatMessage): boolean {
    return readSending(this.context.id)?.id === message.id
  }
}
