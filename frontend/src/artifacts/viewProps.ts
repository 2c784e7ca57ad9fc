// What the views of the panel get as props.
import type { EditSession } from './editing/editSession'
import type { EditState } from './editing/editState'
import type { ArtifactEntry, DisplayedVersion } from './entries'

export type ViewId = 'read' | 'write' | 'edit' | 'grid' | 'preview' | 'console' | 'image' | 'diff'

/** The artifact on display. */
export type DisplayedDocument = {
  readonly conversationId: string
  readonly entry: ArtifactEntry
  readonly displayedVersion: DisplayedVersion
  /** The displayed text: of a version, of the one being written, or the member's edit of the newest. Null while it loads. */
  readonly text: string | null
  /** Loads the version again. Null unless that failed. */
  readonly retry: (() => void) | null
  /** The member's edit. Undefined for an old version, for a member who only reads, and while an agent writes. */
  readonly editing: EditSession | undefined
  readonly edit: EditState | undefined
}

export type ViewProps = {
  readonly document: DisplayedDocument
  /** Whether this view is visible. A mounted view may be hidden. */
  readonly active: boolean
  /** The line with the error of a run or of a diagram. */
  readonly errorLine: number | null
  readonly onErrorLine: (line: number | null) => void
}
