// What views and editors see of an edit (editSession.ts), and what links it with the live text.
import type { Extension } from '@codemirror/state'
import type { ConflictSides } from '../../api/generated'
import type { TextCursors } from '../live/writers'

/** offline: what is written here joins the others' text once the network is back. */
type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'offline' | 'conflict'
export type EditState = {
  /** Number of the version that `text` was made from. */
  readonly base: number
  readonly text: string
  readonly save: SaveState
  /** Why it is not saved, in words. */
  readonly reason: string
  readonly conflict: ConflictSides | null
  /** Whether this browser keeps the text while it is not saved. */
  readonly draftKept: boolean
  /** Null: this member writes alone. */
  readonly live: Collaboration | null
}
/** What makes an editor one of the text that several write at once. One of sources takes the extension, and must have `text()` first. */
export type Collaboration = { readonly extension: Extension; readonly cursors: TextCursors; text(): string }
/** The live text, while there is one (live/). */
export type LiveLink = {
  /** Whether something was typed that the server has not acknowledged. */
  readonly hasUnsent: boolean
  change(text: string): void
  flush(): void
  save(): Promise<boolean>
}
