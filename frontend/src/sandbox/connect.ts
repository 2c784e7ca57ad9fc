// The frame's side of the connection: it reports that it is ready, and gets a port from the page around it.

export type Post = (message: object) => void

/** Calls `onMessage` with each message of the page. The frame posts only in response, so the port exists by then. */
export function connect<Message>(onMessage: (message: Message) => void): Post {
  let port: MessagePort | undefined
  addEventListener('message', function greet({ source, data, ports }: MessageEvent<{ type?: string } | null>) {
    if (source !== parent || data?.type !== 'port' || !ports[0]) return
    removeEventListener('message', greet)
    port = ports[0]
    port.onmessage = (event: MessageEvent<Message>) => onMessage(event.data)
  })
  // The page has the origin of this frame's address, although the frame itself has an opaque origin.
  parent.postMessage({ type: 'ready', nonce: location.hash.slice(1) }, new URL(location.href).origin)
  return (message) => port?.postMessage(message)
}
