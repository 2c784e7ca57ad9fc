import type { WaitReason } from '../../api/messageTypes'
import type { ListedArtifact } from '../../artifacts/summaries'
import type { QueuedMessage } from './queuedMessages'

/** What the view of a conversation shows besides the messages. */
export type SessionState = {
  /** `new` has no row on the server yet. */
  readonly load: 'new' | 'waiting' | 'loading' | 'ready' | 'missing' | 'failed'
  /** `joining`: this page is about to follow an answer that is being written. `lost`: it gave up, and the user decides. */
  readonly connection: 'steady' | 'joining' | 'reconnecting' | 'lost'
  /** What the newest answer waits for before it goes on. */
  readonly waiting: WaitReason
  readonly stopping: boolean
  /** How many messages were written here. The view scrolls to its end with each. */
  readonly sentCount: number
  /** Whether the server has messages above the oldest one here. */
  readonly hasMore: boolean
  /** The message before which others are missing here, because the reader went to an earlier day; empty, or a message that is not here any more: none. */
  readonly gapBefore: string
  readonly title: string
  readonly modelId: string | null
  /** The project it is in; of a new chat, the one it will be in. */
  readonly projectId: string | null
  /** It is in no list and is deleted after a day. */
  readonly isTemporary: boolean
  /** The key of the assistant that the server answers with; empty: the chat agent. */
  readonly assistant: string
  /** The one that the user chose here for the next message; null: nothing was chosen. */
  readonly assistantPick: string | null
  readonly artifacts: readonly ListedArtifact[]
  /** The stable id of the question that is being edited in its place; empty: none. */
  readonly editingId: string
  /** Text that the user quotes, for the message box; empty: none. */
  readonly quotedText: string
  /** Messages sent into the running answer that are not part of it yet. */
  readonly queue: readonly QueuedMessage[]
  /** Text that goes back into the message box; empty: none. */
  readonly returnedText: string
}

export const INITIAL_STATE: SessionState = {
  ...{ load: 'waiting', connection: 'steady', waiting: null, stopping: false },
  ...{ sentCount: 0, hasMore: false, gapBefore: '', title: '', modelId: null, assistant: '', assistantPick: null, projectId: null, isTemporary: false, artifacts: [], queue: [], returnedText: '', editingId: '', quotedText: '' },
}
