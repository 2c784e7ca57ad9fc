import type { Attachments } from '../../files/attachments'
import type { Store } from '../../ui/store'
import type { Chat } from './chat'
import type { SessionState } from './sessionState'

/** What the pieces of one session share. */
export type SessionContext = {
  /** The id of the conversation. */
  readonly id: string
  readonly chat: Chat
  readonly state: Store<SessionState>
  /** Files for the next message. */
  readonly attachments: Attachments
}
