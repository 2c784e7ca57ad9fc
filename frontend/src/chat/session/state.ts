import type { ArtifactSummary } from '../../api/artifactTypes'
import type { Waiting } from '../../api/messageTypes'
import type { Pending } from './queuedMessages'

export type SessionState = {
  /** `new` has no row on the server yet. */
  readonly load: 'new' | 'waiting' | 'loading' | 'ready' | 'missing' | 'failed'
  /** `joining`: an answer that is being written is about to be followed. */
  readonly connection: 'steady' | 'joining' | 'reconnecting' | 'lost'
  /** What the newest answer waits for before it goes on. */
  readonly waiting: Waiting
  readonly stopping: boolean
  /** How many messages were written here; the view goes to its end with each. */
  readonly sent: number
  readonly hasMore: boolean
  readonly title: string
  readonly modelId: string | null
  readonly artifacts: readonly ArtifactSummary[]
  /** Sent into the answer, and not shown in it yet. */
  readonly pending: readonly Pending[]
  /** Text of a refused message that belongs back into the message box; empty: none. */
  readonly returned: string
}

export const NEW_STATE: SessionState = {
  ...{ load: 'waiting', connection: 'steady', waiting: null, stopping: false },
  ...{ sent: 0, hasMore: false, title: '', modelId: null, artifacts: [], pending: [], returned: '' },
}
