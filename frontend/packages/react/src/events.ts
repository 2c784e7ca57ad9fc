// The events of <parley-chat>, and the props that take them (docs/embedding.md).

/** What the page tells the agent about itself: values of JSON by key. */
export type PageState = Readonly<Record<string, unknown>>

/** A function of the page that the agent may call. `callId`: the same for a call that comes again after a reload. `signal`: aborted when it took too long. */
export type ToolHandler = (input: PageState, call: { readonly callId: string; readonly signal: AbortSignal }) => unknown

/** A message that the page says was exchanged before. */
export type EarlierMessage = { readonly role: 'user' | 'assistant'; readonly text: string }

/** What an event carries, by its name without `parley:`. */
export type EventDetails = {
  /** `text` may be changed; `preventDefault()` keeps the message in the box. */
  'before-send': { text: string }
  'user-message': { readonly text: string }
  /** `ended`: how; a stopped or failed answer may be half. */
  'message-complete': { readonly id: string; readonly text: string; readonly ended: 'complete' | 'stopped' | 'failed' }
  'tool-call': { readonly id: string; readonly name: string }
  'tool-result': { readonly id: string; readonly name: string; readonly ok: boolean }
  'data-part': { readonly type: string; readonly data: unknown }
  error: { readonly message: string }
  stop: Readonly<Record<string, never>>
  regenerate: { readonly id?: string }
  edit: { readonly id: string; readonly text: string }
  clear: Readonly<Record<string, never>>
  delete: Readonly<Record<string, never>>
  feedback: { readonly id: string; readonly rating: 'up' | 'down' | null }
  'suggestion-click': { readonly text: string }
  'switch-change': { readonly key: string; readonly label: string; readonly isOn: boolean }
  /** `id`: the conversation's. */
  'title-generated': { readonly id: string; readonly title: string }
  /** May be cancelled: then nothing is written. */
  'page-state': { readonly changes: PageState; readonly state: PageState }
  open: Readonly<Record<string, never>>
  close: Readonly<Record<string, never>>
}

export type EventName = keyof EventDetails

export const EVENTS = {
  onBeforeSend: 'before-send',
  onUserMessage: 'user-message',
  onMessageComplete: 'message-complete',
  onToolCall: 'tool-call',
  onToolResult: 'tool-result',
  onDataPart: 'data-part',
  onError: 'error',
  onStop: 'stop',
  onRegenerate: 'regenerate',
  onEdit: 'edit',
  onClear: 'clear',
  onDelete: 'delete',
  onFeedback: 'feedback',
  onSuggestionClick: 'suggestion-click',
  onSwitchChange: 'switch-change',
  onTitleGenerated: 'title-generated',
  onPageState: 'page-state',
  onOpen: 'open',
  onClose: 'close',
} as const satisfies Record<string, EventName>

type Props = typeof EVENTS

export type EventProps = { readonly [Name in keyof Props]?: (event: CustomEvent<EventDetails[Props[Name]]>) => void }
