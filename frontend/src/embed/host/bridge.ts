// The host's end of the port to one frame.
import { CONNECT, READY, type FrameMessage, type HostMessage, type Question } from '../protocol'

type Listener = {
  /** The frame is there; it is told this first. */
  onReady(): HostMessage
  onMessage(message: Exclude<FrameMessage, { type: 'ask' }>): void
  onQuestion(question: Question): Promise<unknown>
}

/** Listens for the frame's first word, which counts only from this frame's window and our origin, and then talks over a port of its own. */
export class Bridge {
  private port: MessagePort | undefined
  private waiting: HostMessage[] = []
  private readonly hear = (event: MessageEvent) => this.greet(event)

  constructor(
    private readonly frame: HTMLIFrameElement,
    private readonly origin: string,
    private readonly listener: Listener,
  ) {
    addEventListener('message', this.hear)
  }

  /** What is sent before the frame is there waits for it. */
  send(message: HostMessage): void {
    if (this.port) this.port.postMessage(message)
    else this.waiting.push(message)
  }

  close(): void {
    removeEventListener('message', this.hear)
    this.port?.close()
    this.port = undefined
  }

  private greet({ source, origin, data }: MessageEvent): void {
    if (source !== this.frame.contentWindow || origin !== this.origin || data !== READY) return
    this.port?.close() // the frame was loaded anew
    const { port1, port2 } = new MessageChannel()
    this.port = port1
    port1.onmessage = (event: MessageEvent<FrameMessage>) => void this.take(event.data)
    this.frame.contentWindow?.postMessage(CONNECT, this.origin, [port2])
    for (const message of [this.listener.onReady(), ...this.waiting.splice(0)]) port1.postMessage(message)
  }

  private async take(message: FrameMessage): Promise<void> {
    if (message.type !== 'ask') return this.listener.onMessage(message)
    const { port } = this
    const value = await this.listener.onQuestion(message.question).catch(() => false)
    port?.postMessage({ type: 'reply', id: message.id, value } satisfies HostMessage)
  }
}
