import type { ChatOnDataCallback, ChatOnFinishCallback, ChatRequestOptions } from 'ai'
import type { ChatMessage } from '../../api/messageTypes'
import { randomUuid } from '../../browser/uuid'
import { ChatState } from './chatState'
import type { SdkChat } from './sdkChat'

type Sdk = typeof import('./sdkChat')

let sdkModule: Sdk | undefined

/** Fetch the AI SDK's chat. It is fetched once; a failure is a TypeError, as of any request, and the next call tries again. */
export async function loadSdk(): Promise<Sdk> {
  return (sdkModule ??= await import('./sdkChat'))
}

/** Close the socket of all conversations: it may be dead. The next request opens another. */
export const closeSocket = (): void => sdkModule?.transport.close()

export type ChatListener = { onData: ChatOnDataCallback<ChatMessage>; onFinish(finish: Pick<Parameters<ChatOnFinishCallback<ChatMessage>>[0], 'isAbort' | 'isDisconnect' | 'finishReason'>): void }

/** The AI SDK's chat of one conversation, without the SDK until something is asked of the server. */
export class Chat {
  readonly state = new ChatState()
  private sdk: SdkChat | undefined

  constructor(
    readonly id: string,
    private readonly listener: ChatListener,
  ) {}

  get messages(): ChatMessage[] {
    return this.state.messages
  }

  set messages(messages) {
    this.state.messages = messages
  }

  get lastMessage(): ChatMessage | undefined {
    return this.state.messages.at(-1)
  }

  get status() {
    return this.state.status
  }

  get error(): Error | undefined {
    return this.state.error
  }

  /** Shows the message at once, also while the SDK is still being fetched. */
  async sendMessage(message: ChatMessage, options: ChatRequestOptions): Promise<void> {
    if (!sdkModule) {
      this.state.pushMessage(message)
      this.state.status = 'submitted'
      if (!(await this.hasSdk())) return
      this.messages = this.messages.filter(({ id }) => id !== message.id)
    }
    await this.withSdk((sdk) => sdk.sendMessage(message, options))
  }

  regenerate(options: { messageId?: string } & ChatRequestOptions): Promise<void> {
    return this.withSdk((sdk) => sdk.regenerate(options))
  }

  resumeStream(): Promise<void> {
    return this.withSdk((sdk) => sdk.resumeStream())
  }

  /** Shows a decision that the server has. Without the SDK the conversation shows it once it is read again: nothing is on its way that could be repeated. */
  async addToolApprovalResponse(decision: { id: string; approved: boolean; reason?: string }): Promise<void> {
    if (await loadSdk().catch(() => null)) await this.withSdk(async (sdk) => sdk.addToolApprovalResponse(decision))
  }

  async stop(): Promise<void> {
    await this.sdk?.stop()
  }

  clearError(): void {
    if (this.status === 'error') this.state.store.patch({ status: 'ready', error: undefined })
  }

  private async withSdk(work: (sdk: SdkChat) => Promise<void>): Promise<void> {
    if (!sdkModule && !(await this.hasSdk())) return
    const { SdkChat, transport } = sdkModule!
    this.sdk ??= new SdkChat({ id: this.id, state: this.state, transport, generateId: randomUuid, ...this.listener })
    await work(this.sdk)
  }

  /** Fetches the SDK. Without a connection that fails like any request: the caller's ends with an error, and is repeated. */
  private async hasSdk(): Promise<boolean> {
    try {
      await loadSdk()
      return true
    } catch {
      this.state.store.patch({ status: 'error', error: new TypeError('Failed to fetch the AI SDK') })
      this.listener.onFinish({ isAbort: false, isDisconnect: true, finishReason: undefined })
      return false
    }
  }
}
