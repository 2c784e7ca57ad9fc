// What the views of the panel are given.
import type { EditSession, EditState } from './editing/editSession'
import type { ArtifactEntry, DisplayedVersion } from './entries'

export type ViewId = 'read' | 'edit' | 'grid' | 'preview' | 'console' | 'image' | 'diff'

/** The artifact on display. */
export type DisplayedDocument = {
  readonly conversationId: string
  readonly entry: ArtifactEntry
  readonly displayedVersion: DisplayedVersion
  /** The text on display: a version's, the one being written, or the member's own edit of the newest. Null while it is loading. */
  readonly text: string | null
  /** The member's edit; undefined where there is none to make: an old version, a reader, an artifact that is being written. */
  readonly editing: EditSession | undefined
  readonly edit: EditState | undefined
}

export type ViewProps = {
  readonly document: DisplayedDocument
  /** Whether this view is in sight; one that stays mounted may not be. */
  readonly active: boolean
  /** The line that a run or a drawing complained about. */
  readonly errorLine: number | null
  readonly onErrorLine: (line: number | null) => void
}
