// The socket of one live document. It connects again by itself.
import { backoffMs, pauseAfterClose } from '../../api/backoff'
import { boot } from '../../api/boot'
import type { OtherWriter } from './writers'
import type { Cursor } from './textCursors'

export type ServerFrame =
  | { readonly type: 'people'; readonly people: readonly OtherWriter[] }
  | { readonly type: 'joined'; readonly document: string; readonly seq: number; readonly version: number; readonly savedSeq: number; readonly updates: readonly string[] }
  | { readonly type: 'update'; readonly seq: number; readonly content: string }
  | { readonly type: 'ack'; readonly id: number }
  | { readonly type: 'saved'; readonly seq: number; readonly version: number }
  | { readonly type: 'save-done' }
  | { readonly type: 'cursors'; readonly cursors: Readonly<Record<string, Cursor | null>> }
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly id?: number }

export type PageFrame =
  | { readonly type: 'join'; readonly document: string | null; readonly seq: number }
  | { readonly type: 'update'; readonly id: number; readonly document: string; readonly content: string }
  | { readonly type: 'cursor'; readonly cursor: Cursor | null }
  | { readonly type: 'save' }

type Listener = { onOpen(): void; onFrame(frame: ServerFrame): void; onClose(): void; onRefused(): void }

const MAX_PAUSE_MS = 10_000
const FIRST_PAUSE_MS = 500
/** This member may not write here, or not any more. */
const ACCESS_ENDED = 4403

export class LiveSocket {
  private socket: WebSocket | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private attempt = 0
  private isOver = false
  private readonly connectNow = () => this.connect()

  constructor(
    private readonly artifactId: string,
    private readonly listener: Listener,
  ) {
    addEventListener('online', this.connectNow)
    this.connect()
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  /** Returns whether it is on its way. */
  send(frame: PageFrame): boolean {
    if (!this.isOpen) return false
    this.socket?.send(JSON.stringify(frame))
    return true
  }

  /** Connects at once if there is no connection. */
  connect(): void {
    clearTimeout(this.timer)
    if (this.socket || this.isOver) return
    const url = new URL(`../live/${this.artifactId}/`, new URL(boot.notifyUrl, location.href))
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    this.socket = socket
    socket.onopen = () => this.listener.onOpen()
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      this.attempt = 0
      this.listener.onFrame(JSON.parse(data) as ServerFrame)
    }
    socket.onclose = ({ code }) => this.handleClose(code)
  }

  close(): void {
    this.isOver = true
    clearTimeout(this.timer)
    removeEventListener('online', this.connectNow)
    if (this.socket) this.socket.onclose = this.socket.onmessage = null
    this.socket?.close()
  }

  private handleClose(code: number): void {
    this.socket = undefined
    if (code === ACCESS_ENDED) {
      this.close()
      return this.listener.onRefused()
    }
    this.listener.onClose()
    this.timer = setTimeout(this.connectNow, pauseAfterClose(code, backoffMs(this.attempt++, FIRST_PAUSE_MS, MAX_PAUSE_MS)))
  }
}
