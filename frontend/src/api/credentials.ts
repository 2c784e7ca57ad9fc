// How requests and sockets say who makes them. On the chat page the browser's cookie does; an embedded chat has no cookies and says it itself.

export type Credentials = {
  /** Headers of a request. Waits until there are some. */
  headers(): Promise<Record<string, string>>
  /** The first frame of a socket. */
  firstFrame(): string
  /** Takes each text that a socket receives. */
  onMessage(text: string): void
  /** The server refused the headers. Returns whether others can be had, which the next call of `headers` waits for. */
  renew(): boolean
}

let own: Credentials | undefined

export const credentials = (): Credentials | undefined => own

export function setCredentials(newCredentials: Credentials): void {
  own = newCredentials
}

/** Opens a socket and says who does. For the transport of the AI SDK, which calls it with `new`. */
export function ProvenSocket(url: string | URL, protocols?: string | string[]): WebSocket {
  const socket = new WebSocket(url, protocols)
  if (own) {
    const { firstFrame, onMessage } = own
    socket.addEventListener('open', () => socket.send(firstFrame()))
    socket.addEventListener('message', ({ data }) => onMessage(String(data)))
  }
  return socket
}
