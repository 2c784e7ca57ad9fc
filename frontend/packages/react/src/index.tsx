// <ParleyChat>: the element <parley-chat> with typed props, callbacks for its events, and its methods by ref.
import { createElement, useEffect, useImperativeHandle, useLayoutEffect, useRef, type CSSProperties, type Ref } from 'react'
import { EVENTS, type EarlierMessage, type EventProps, type PageState, type ToolHandler } from './events'

export type { EarlierMessage, EventDetails, EventName, EventProps, PageState, ToolHandler } from './events'

/** The element's methods. */
export type ParleyChatHandle = {
  readonly isOpen: boolean
  sendMessage(text: string): void
  stop(): void
  regenerate(): void
  clear(): void
  delete(): void
  scrollToEnd(): void
  setMessages(messages: readonly EarlierMessage[]): void
  open(): void
  close(): void
}

type Token = string | null | undefined

export type ParleyChatProps = EventProps & {
  /** Where Parley is, such as https://chat.example.org. Its script is loaded from there, once. */
  readonly origin: string
  /** The embed's key, from its admin page. */
  readonly site: string
  readonly mode?: 'drawer' | 'inline' | 'page'
  readonly theme?: 'light' | 'dark' | 'auto'
  /** As #rrggbb. */
  readonly accent?: string
  readonly lang?: string
  /** The name of button and frame for screen readers. */
  readonly label?: string
  readonly heading?: string
  readonly greeting?: string
  readonly placeholder?: string
  /** Fetches a fresh token for the visitor each time that it is called. It may be another function at each render. */
  readonly getToken?: () => Token | Promise<Token>
  /** Who is signed in on the page; another value loads the chat anew, for somebody else. */
  readonly visitor?: string
  readonly pageState?: PageState | null
  /** The page's tools by name. They may be other functions at each render. */
  readonly tools?: Readonly<Record<string, ToolHandler>>
  readonly className?: string
  readonly style?: CSSProperties
  readonly ref?: Ref<ParleyChatHandle>
}

type ChatElement = HTMLElement & ParleyChatHandle & { token: unknown; pageState: PageState | null; tools: unknown }

const ATTRIBUTES = ['site', 'mode', 'theme', 'accent', 'lang', 'label', 'heading', 'greeting', 'placeholder'] as const

type Policies = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string } }

/** Returns the address as pages take it that ask for Trusted Types; they may have to allow the policy's name. */
function trustedAddress(src: string): string {
  const { trustedTypes } = window as { trustedTypes?: Policies }
  return trustedTypes?.createPolicy('parley-chat-react', { createScriptURL: (url) => url }).createScriptURL(src) ?? src
}

function loadScript(origin: string): void {
  const src = `${origin}/embed.js`
  if (customElements.get('parley-chat') || document.querySelector(`script[src="${CSS.escape(src)}"]`)) return
  const script = document.createElement('script')
  script.src = trustedAddress(src)
  script.async = true
  document.head.append(script)
}

/** A chat of Parley. */
export function ParleyChat(props: ParleyChatProps) {
  const { origin, site, getToken, visitor, pageState, tools, className, style, ref } = props
  const element = useRef<ChatElement>(null)
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  useEffect(() => loadScript(origin), [origin])
  const signs = getToken !== undefined
  useLayoutEffect(() => {
    // One function for one visitor: the element takes another function for another visitor. Before the key, which loads the chat.
    if (element.current) element.current.token = signs ? () => latest.current.getToken?.() ?? null : null
  }, [signs, visitor, site])
  useLayoutEffect(() => {
    const chat = element.current
    for (const name of ATTRIBUTES) {
      const value = props[name]
      if (value === undefined) chat?.removeAttribute(name)
      else if (chat?.getAttribute(name) !== value) chat?.setAttribute(name, value)
    }
  })
  const state = pageState === undefined ? undefined : JSON.stringify(pageState)
  useLayoutEffect(() => {
    // Compared by what it says: an object that is written anew at each render would undo what the agent wrote.
    if (element.current && state !== undefined) element.current.pageState = JSON.parse(state) as PageState | null
  }, [state])
  const names = tools && Object.keys(tools).join(' ')
  useLayoutEffect(() => {
    if (element.current && names !== undefined) element.current.tools = toolsByName(names, (name) => latest.current.tools?.[name])
  }, [names])
  useEffect(() => listen(element.current, () => latest.current), [])
  useImperativeHandle(ref, () => handleOf(() => element.current), [])
  return createElement('parley-chat', { ref: element, class: className, style })
}

/** Returns functions that call the page's latest of the same name. */
function toolsByName(names: string, latest: (name: string) => ToolHandler | undefined): Record<string, ToolHandler> {
  const calling = (name: string): ToolHandler => (input, call) => latest(name)?.(input, call)
  return Object.fromEntries(names.split(' ').filter(Boolean).map((name) => [name, calling(name)]))
}

function listen(chat: ChatElement | null, props: () => ParleyChatProps): () => void {
  const stop = new AbortController()
  for (const [prop, name] of Object.entries(EVENTS)) {
    const tell = (event: Event) => (props()[prop as keyof EventProps] as ((event: Event) => void) | undefined)?.(event)
    chat?.addEventListener(`parley:${name}`, tell, { signal: stop.signal })
  }
  return () => stop.abort()
}

function handleOf(chat: () => ChatElement | null): ParleyChatHandle {
  return {
    get isOpen() {
      return chat()?.isOpen ?? false
    },
    sendMessage: (text) => chat()?.sendMessage(text),
    stop: () => chat()?.stop(),
    regenerate: () => chat()?.regenerate(),
    clear: () => chat()?.clear(),
    delete: () => chat()?.delete(),
    scrollToEnd: () => chat()?.scrollToEnd(),
    setMessages: (messages) => chat()?.setMessages(messages),
    open: () => chat()?.open(),
    close: () => chat()?.close(),
  }
}
