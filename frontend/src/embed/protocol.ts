// What the element on the host's page and the frame say to each other, over a port that both have checked. Both sides import this file, and
// nothing else of each other.

/** Where the chat stands: in the flow of the page, in a drawer behind a button, or as a page of its own. */
export type Mode = 'inline' | 'drawer' | 'page'

/** Values of JSON by key, at most a few. The server checks them, too. */
export type PageState = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is PageState => typeof value === 'object' && value !== null && !Array.isArray(value)

export type FrameConfig = {
  readonly mode: Mode
  readonly theme: 'light' | 'dark' | 'auto'
  /** As #rrggbb; empty: as the admins chose. */
  readonly accent: string
  /** A BCP 47 tag; empty: as the admins chose, or the visitor's. */
  readonly lang: string
  readonly words: { readonly heading: string; readonly greeting: string; readonly placeholder: string }
  /** Whether the page signs its visitors in. */
  readonly signs: boolean
}

/** The argument of `set-messages` is their JSON. */
export type CallName = 'send' | 'set-messages' | 'stop' | 'regenerate' | 'clear' | 'delete' | 'scroll' | 'focus'

/** A message that the page says was exchanged before. The server checks them, too. */
export type EarlierMessage = { readonly role: 'user' | 'assistant'; readonly text: string }

export type HostMessage =
  | { readonly type: 'config'; readonly config: FrameConfig; readonly pageState: PageState | null; readonly tools: readonly string[] }
  | { readonly type: 'page-state'; readonly pageState: PageState | null }
  | { readonly type: 'tools'; readonly tools: readonly string[] }
  | { readonly type: 'call'; readonly name: CallName; readonly argument: string }
  | { readonly type: 'reply'; readonly id: number; readonly value: unknown }

/**
 * What the frame asks the page. The reply to `token`: a text, or null for a stranger; to `before-send`: the text to send, or null;
 * to `write`: a `WriteResult`; to `tool`: a `ToolReply`, or null when the page has no such tool. False: the page failed.
 */
export type Question =
  | { readonly kind: 'token' }
  | { readonly kind: 'before-send'; readonly text: string }
  | { readonly kind: 'write'; readonly changes: PageState }
  | { readonly kind: 'tool'; readonly name: string; readonly callId: string; readonly input: PageState }

/** What came of a call of the page's tool: a value of JSON, or why there is none. */
export type ToolReply = { readonly output: unknown } | { readonly errorText: string }

/** Which keys of its state the page wrote, with their former values, and which it ignored. */
export type WriteResult = { readonly written: readonly string[]; readonly ignored: readonly string[]; readonly former: PageState }

export type FrameMessage =
  | { readonly type: 'event'; readonly name: EventName; readonly detail: Readonly<Record<string, unknown>> }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  | { readonly type: 'close' }

/** How an answer ended: by itself, by Stop or the end of access, or by an error, after which it may be half. */
export type AnswerEnd = 'complete' | 'stopped' | 'failed'

export type EventName =
  | 'user-message'
  | 'message-complete'
  | 'tool-call'
  | 'tool-result'
  | 'data-part'
  | 'error'
  | 'stop'
  | 'regenerate'
  | 'edit'
  | 'delete'
  | 'feedback'
  | 'suggestion-click'
  | 'switch-change'
  | 'title-generated'
  | 'clear'

/** The frame's first word, to whoever shows it; it says nothing. The host answers with `CONNECT` and a port, to the frame's origin alone. */
export const READY = 'parley:ready'
export const CONNECT = 'parley:connect'
