// The element <parley-chat> (docs/embedding.md). It makes no global but itself, and touches nothing of the page around it.
import type { CallName, EarlierMessage, EventName, FrameConfig, HostMessage, Mode, PageState, Question, WriteResult } from '../protocol'
import { Bridge } from './bridge'
import { checkEarlierMessages } from './earlierMessages'
import { icon } from './icon'
import { sharedSheet } from './styles'
import { PageTools, type ToolHandler, type ToolHandlers } from './tools'

/** A text, or what fetches a fresh one: each token works once. */
type Token = string | null | (() => string | Promise<string>)

const MODES: readonly Mode[] = ['inline', 'drawer', 'page']
const THEMES = ['light', 'dark', 'auto'] as const
const SITE = /^[\w-]{43}$/
const PROPERTIES = ['token', 'pageState', 'tools'] as const

const oneOf = <T extends string>(values: readonly T[], value: string | null, otherwise: T): T => values.find((option) => option === value) ?? otherwise

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

/** Whether the page may get `newValue` in place of `oldValue`: the same type of JSON, as the server checks, too. What is null now takes any value. */
const fits = (oldValue: unknown, newValue: unknown): boolean => oldValue === null || (newValue !== null && kindOf(oldValue) === kindOf(newValue))

/** Returns the element's class, for a script that came from `origin`. */
export function chatElement(origin: string): CustomElementConstructor {
  return class extends HTMLElement {
    static readonly observedAttributes = ['site', 'mode', 'token', 'theme', 'accent', 'lang', 'label', 'heading', 'greeting', 'placeholder']

    #root = this.attachShadow({ mode: 'closed' })
    #bridge: Bridge | undefined
    #box: HTMLElement | undefined
    #button: HTMLButtonElement | undefined
    #state: PageState | null = null
    #token: Token = null
    #tools = new PageTools((tools) => this.#bridge?.send({ type: 'tools', tools }))
    #isDrawn = false

    connectedCallback(): void {
      this.#isDrawn = true
      for (const name of PROPERTIES) this.#upgrade(name)
      this.#draw()
    }

    disconnectedCallback(): void {
      this.#isDrawn = false
      this.#clear()
    }

    /** Moved with `moveBefore`: the frame stays as it is. */
    connectedMoveCallback(): void {}

    attributeChangedCallback(name: string, before: string | null, now: string | null): void {
      if (!this.#isDrawn || before === now) return // before the element is in the page, all attributes are told
      if (name === 'site' || name === 'mode') return this.#draw()
      if (name === 'token') return this.#token === null ? this.#reload() : undefined
      this.#style()
      this.#bridge?.send(this.#config())
    }

    /** What the page tells the agent about itself, and the agent may write: values by key. */
    get pageState(): PageState | null {
      return this.#state
    }

    set pageState(state: PageState | null) {
      this.#state = state && typeof state === 'object' ? { ...state } : null
      this.#bridge?.send({ type: 'page-state', pageState: this.#plainState() })
    }

    /** The functions of this page that the agent may call, by the names under which an admin has described them. */
    get tools(): ToolHandlers {
      return this.#tools.all
    }

    set tools(handlers: ToolHandlers | null) {
      this.#tools.setAll(handlers)
    }

    /** Adds one of them. Returns what takes it away again. */
    registerTool(name: string, handler: ToolHandler): () => void {
      return this.#tools.register(name, handler)
    }

    get token(): Token {
      return this.#token ?? this.getAttribute('token')
    }

    /** Another token is another visitor, whose conversation takes the place of the former one's. */
    set token(token: Token) {
      const before = this.token
      this.#token = token
      if (this.token !== before) this.#reload()
    }

    get isOpen(): boolean {
      return this.#mode !== 'drawer' || (this.#box !== undefined && !this.#box.hidden)
    }

    open(): void {
      if (this.#mode !== 'drawer' || !this.#box || !this.#button) return
      this.#load()
      this.#box.hidden = false
      this.#button.hidden = true
      this.#box.querySelector('iframe')?.focus()
      this.#call('focus')
      this.#emit('open', {})
    }

    close(): void {
      if (this.#mode !== 'drawer' || !this.#box || !this.#button || this.#box.hidden) return
      this.#box.hidden = true
      this.#button.hidden = false
      this.#button.focus()
      this.#emit('close', {})
    }

    sendMessage(text: string): void {
      this.#load()
      this.#call('send', String(text))
    }

    stop(): void {
      this.#call('stop')
    }

    regenerate(): void {
      this.#call('regenerate')
    }

    /** Puts the conversation away; the next message begins another one. */
    clear(): void {
      this.#call('clear')
    }

    /** Deletes the conversation. */
    delete(): void {
      this.#call('delete')
    }

    /**
     * Puts the conversation away and begins another with these messages, which take turns and end with the assistant's.
     * Throws a TypeError for anything else.
     */
    setMessages(messages: readonly EarlierMessage[]): void {
      const text = JSON.stringify(checkEarlierMessages(messages))
      this.#load()
      this.#call('set-messages', text)
    }

    scrollToEnd(): void {
      this.#call('scroll')
    }

    get #mode(): Mode {
      return oneOf(MODES, this.getAttribute('mode'), 'drawer')
    }

    #call(name: CallName, argument = ''): void {
      this.#bridge?.send({ type: 'call', name, argument })
    }

    /** A property that the page set before this script had come hides the class's own. */
    #upgrade(name: (typeof PROPERTIES)[number]): void {
      if (!Object.hasOwn(this, name)) return
      const { [name]: value } = this as Record<string, unknown>
      delete (this as Record<string, unknown>)[name]
      ;(this as Record<string, unknown>)[name] = value
    }

    #draw(): void {
      this.#clear()
      if (!SITE.test(this.getAttribute('site') ?? '')) return
      this.#root.adoptedStyleSheets = [sharedSheet()]
      this.#box = document.createElement('div')
      this.#root.append(this.#box)
      if (this.#mode === 'drawer') this.#drawDrawer(this.#box)
      else {
        this.#box.className = 'box'
        this.#load()
      }
      this.#style()
    }

    #drawDrawer(box: HTMLElement): void {
      box.className = 'box drawer'
      box.hidden = true
      box.setAttribute('role', 'dialog')
      box.addEventListener('keydown', (event) => event.key === 'Escape' && this.close())
      this.#button = document.createElement('button')
      this.#button.type = 'button'
      this.#button.setAttribute('aria-haspopup', 'dialog')
      this.#button.append(icon())
      this.#button.addEventListener('click', () => this.open())
      this.#root.append(this.#button)
    }

    #style(): void {
      const label = this.getAttribute('label') || this.getAttribute('heading') || 'Chat'
      this.#button?.setAttribute('aria-label', label)
      this.#box?.setAttribute('aria-label', label)
      this.#root.querySelector('iframe')?.setAttribute('title', label)
      const accent = this.#accent()
      if (accent) this.#button?.style.setProperty('--accent', accent)
      else this.#button?.style.removeProperty('--accent')
    }

    #load(): void {
      if (this.#bridge || !this.#box) return
      const frame = document.createElement('iframe')
      frame.allow = 'clipboard-write'
      this.#bridge = new Bridge(frame, origin, {
        onReady: () => this.#config(),
        onMessage: (message) => (message.type === 'close' ? this.close() : this.#emit(message.name, message.detail)),
        onQuestion: (question) => this.#answer(question),
      })
      frame.src = `${origin}/embed/${this.getAttribute('site')}/`
      this.#box.append(frame)
      this.#style()
    }

    /** Loads the chat anew where it is open or was. A drawer stays as it is. */
    #reload(): void {
      if (!this.#bridge) return
      this.#bridge.close()
      this.#bridge = undefined
      this.#box?.replaceChildren()
      this.#load()
    }

    #clear(): void {
      this.#bridge?.close()
      this.#bridge = this.#box = this.#button = undefined
      this.#root.replaceChildren()
    }

    #config(): HostMessage {
      const word = (name: string) => (this.getAttribute(name) ?? '').slice(0, 300)
      const config: FrameConfig = {
        mode: this.#mode,
        theme: oneOf(THEMES, this.getAttribute('theme'), 'auto'),
        accent: this.#accent(),
        lang: word('lang'),
        words: { heading: word('heading'), greeting: word('greeting'), placeholder: word('placeholder') },
        signs: Boolean(this.token),
      }
      return { type: 'config', config, pageState: this.#plainState(), tools: this.#tools.names }
    }

    #accent(): string {
      const accent = this.getAttribute('accent') ?? ''
      return /^#[\da-f]{6}$/i.test(accent) ? accent : ''
    }

    /** Only what JSON can say crosses to the frame. */
    #plainState(): PageState | null {
      return this.#state && (JSON.parse(JSON.stringify(this.#state)) as PageState)
    }

    async #answer(question: Question): Promise<unknown> {
      switch (question.kind) {
        case 'token': {
          const { token } = this
          return typeof token === 'function' ? await token() : token
        }
        case 'before-send':
          return this.#beforeSend(question.text)
        case 'write':
          return this.#write(question.changes)
        case 'tool':
          return this.#tools.call(question.name, question.input, question.callId)
      }
    }

    #beforeSend(text: string): string | null {
      const detail = { text }
      return this.#emit('before-send', detail, true) ? String(detail.text) : null
    }

    /** Writes what the agent wants changed: keys that the page has now, each with a value of its type, and only if the page does not prevent it. */
    #write(changes: PageState): WriteResult {
      const state = this.#state ?? {}
      const plain = this.#plainState() ?? {}
      const keys = Object.keys(changes).filter((key) => Object.hasOwn(plain, key) && fits(plain[key], changes[key]))
      const nothing: WriteResult = { written: [], ignored: Object.keys(changes), former: {} }
      const updates = Object.fromEntries(keys.map((key) => [key, changes[key]]))
      if (keys.length === 0 || !this.#emit('page-state', { changes: updates, state: { ...state, ...updates } }, true)) return nothing
      const former = Object.fromEntries(keys.map((key) => [key, state[key]]))
      this.pageState = { ...state, ...updates }
      return { written: keys, ignored: nothing.ignored.filter((key) => !keys.includes(key)), former }
    }

    /** Returns false when the page prevented what the event announces. */
    #emit(name: EventName | 'before-send' | 'page-state' | 'open' | 'close', detail: object, cancelable = false): boolean {
      return this.dispatchEvent(new CustomEvent(`parley:${name}`, { detail, cancelable, bubbles: true, composed: true }))
    }
  }
}
