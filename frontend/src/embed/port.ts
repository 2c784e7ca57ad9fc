// The frame's end of the port to the page around it.
import { frameBoot } from './boot'
import { CONNECT, READY, type EventName, type FrameConfig, type FrameMessage, type HostMessage, type PageState, type Question } from './protocol'

type CallMessage = Extract<HostMessage, { type: 'call' }>

const NO_CONFIG: FrameConfig = { mode: 'page', theme: 'auto', accent: '', lang: '', words: { heading: '', greeting: '', placeholder: '' }, signs: false }

let port: MessagePort | undefined
let lastId = 0
/** Calls that came before there was a conversation. */
const early: CallMessage[] = []
const pendingReplies = new Map<number, (value: unknown) => void>()
const listeners = { config: new Set<(config: FrameConfig) => void>(), call: new Set<(call: CallMessage) => void>(), pageState: new Set<(state: PageState | null) => void>(), tools: new Set<(names: readonly string[]) => void>() }

/** Whether the page is one that the admins allow. The browser has checked that, too, before it showed this frame. */
const isAllowed = ({ source, origin }: MessageEvent): boolean => source === parent && frameBoot.origins.includes(origin)

/**
 * Waits for the page's end of the port. Nobody but the page that shows this frame, with an allowed origin, gets it, and only once.
 * A chat that is opened as a page of its own has nobody to wait for.
 */
export function connect(): Promise<FrameConfig> {
  if (parent === window) return Promise.resolve(NO_CONFIG)
  return new Promise((resolve) => {
    const greet = (event: MessageEvent) => {
      const [firstPort] = event.ports
      if (!isAllowed(event) || event.data !== CONNECT || !firstPort) return
      removeEventListener('message', greet)
      port = firstPort
      listeners.config.add(resolve)
      port.onmessage = (message: MessageEvent<HostMessage>) => take(message.data)
    }
    addEventListener('message', greet)
    parent.postMessage(READY, '*') // to whoever shows the frame; it holds nothing
  })
}

function take(message: HostMessage): void {
  switch (message.type) {
    case 'config':
      listeners.pageState.forEach((listener) => listener(message.pageState))
      listeners.tools.forEach((listener) => listener(message.tools))
      return listeners.config.forEach((listener) => listener(message.config))
    case 'page-state':
      return listeners.pageState.forEach((listener) => listener(message.pageState))
    case 'tools':
      return listeners.tools.forEach((listener) => listener(message.tools))
    case 'call':
      if (listeners.call.size === 0) early.push(message)
      return listeners.call.forEach((listener) => listener(message))
    case 'reply':
      pendingReplies.get(message.id)?.(message.value)
      pendingReplies.delete(message.id)
  }
}

export const onConfig = (listener: (config: FrameConfig) => void): void => void listeners.config.add(listener)
export const onPageState = (listener: (state: PageState | null) => void): void => void listeners.pageState.add(listener)
export const onTools = (listener: (names: readonly string[]) => void): void => void listeners.tools.add(listener)

export function onCall(listener: (call: CallMessage) => void): () => void {
  listeners.call.add(listener)
  for (const call of early.splice(0)) listener(call)
  return () => void listeners.call.delete(listener)
}

const post = (message: FrameMessage): void => port?.postMessage(message)

export const emit = (name: EventName, detail: Record<string, unknown> = {}): void => post({ type: 'event', name, detail })
export const askToClose = (): void => post({ type: 'close' })

/** Asks the page. Without one the answer is undefined. */
export function ask(question: Question): Promise<unknown> {
  if (!port) return Promise.resolve(undefined)
  const id = ++lastId
  return new Promise((resolve) => {
    pendingReplies.set(id, resolve)
    post({ type: 'ask', id, question })
  })
}
