// The frame's side: it says that it is there, and takes one port from the page around it.

export type Post = (message: object) => void

/** Calls `onMessage` with each message of the page. A frame speaks only when it was spoken to, so the port is there by then. */
export function connect<Message>(onMessage: (message: Message) => void): Post {
  let port: MessagePort | undefined
  addEventListener('message', function greet({ source, data, ports }: MessageEvent<{ type?: string } | null>) {
    if (source !== parent || data?.type !== 'port' || !ports[0]) return
    removeEventListener('message', greet)
    port = ports[0]
    port.onmessage = (event: MessageEvent<Message>) => onMessage(event.data)
  })
  // The page is of the address that this frame came from, though this frame itself is of no origin.
  parent.postMessage({ type: 'ready', nonce: location.hash.slice(1) }, new URL(location.href).origin)
  return (message) => port?.postMessage(message)
}
