// The page's side of a sandboxed frame (docs/decisions/0008): an iframe of an opaque origin that is spoken to through one MessagePort.
// Whatever comes out of it is not trusted: it is only shown, as text or as a picture.

let path = '/sandbox/'

/** For a page that is in a frame itself, so that its own frames have other ancestors. */
export function setSandboxPath(newPath: string): void {
  path = newPath
}

export type Sandbox = { post(message: unknown, transfer?: Transferable[]): void; close(): void }

const isReady = (data: unknown, nonce: string): boolean =>
  typeof data === 'object' && data !== null && (data as { type?: unknown }).type === 'ready' && (data as { nonce?: unknown }).nonce === nonce

function makeFrame(name: string, title: string, nonce: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('aria-hidden', 'true')
  frame.allow = 'cross-origin-isolated'
  // Diagrams are measured before they are drawn, so the frame needs a size, but outside the viewport.
  Object.assign(frame.style, { position: 'fixed', left: '-10000px', top: '0', width: '1200px', height: '800px', border: '0', visibility: 'hidden' })
  frame.tabIndex = -1
  frame.title = title
  frame.src = `${path}${name}/#${nonce}`
  return frame
}

/** Opens the frame `name`. Messages that are posted before it has loaded wait for it. */
export function openFrame(name: 'python' | 'mermaid', title: string, onMessage: (message: unknown) => void): Sandbox {
  const nonce = crypto.randomUUID()
  const frame = makeFrame(name, title, nonce)
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<unknown>) => onMessage(data)
  const greet = ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== frame.contentWindow || origin !== 'null' || !isReady(data, nonce)) return
    removeEventListener('message', greet)
    frame.contentWindow?.postMessage({ type: 'port' }, '*', [port2]) // an opaque origin has no name but *
  }
  addEventListener('message', greet)
  document.body.append(frame)
  return {
    post: (message, transfer = []) => port1.postMessage(message, transfer),
    close() {
      removeEventListener('message', greet)
      port1.close()
      frame.remove()
    },
  }
}
