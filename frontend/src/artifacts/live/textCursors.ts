// Where those who write one text are in it. Yjs keeps each place while the text changes around it.
import * as Y from 'yjs'
import type { OtherWriter, TextCursor, TextCursors } from './writers'

/** Where a selection is, in Yjs's JSON. */
export type Cursor = { readonly anchor: unknown; readonly head: unknown }
export type CursorSource = {
  all(): Iterable<readonly [OtherWriter, Cursor]>
  subscribe(listener: () => void): () => void
}

/** A name shows as long after its cursor has moved; then the bar stands alone. */
const NAME_MS = 2000

export class YTextCursors implements TextCursors {
  /** Where each of the others was last, and until when the name shows there. */
  private readonly known = new Map<string, { readonly cursor: Cursor; readonly namedUntil: number }>()

  constructor(
    private readonly text: Y.Text,
    private readonly others: CursorSource,
    private readonly onCursor: (cursor: Cursor | null) => void,
  ) {}

  all(): readonly TextCursor[] {
    return Array.from(this.others.all()).flatMap(([writer, cursor]) => {
      const [anchor, head] = [this.index(cursor.anchor), this.index(cursor.head)]
      return anchor === null || head === null ? [] : [{ writer, anchor, head, namedUntil: this.namedUntil(writer, cursor) }]
    })
  }

  subscribe(listener: () => void): () => void {
    return this.others.subscribe(listener)
  }

  tell(selection: { readonly anchor: number; readonly head: number } | null): void {
    const at = (index: number) => Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(this.text, index)) as unknown
    this.onCursor(selection && { anchor: at(selection.anchor), head: at(selection.head) })
  }

  private namedUntil({ id }: OtherWriter, cursor: Cursor): number {
    const entry = this.known.get(id)
    if (entry?.cursor === cursor) return entry.namedUntil
    const namedUntil = performance.now() + NAME_MS
    this.known.set(id, { cursor, namedUntil })
    return namedUntil
  }

  /** Null: the place is gone, or of a text that is not here yet. */
  private index(position: unknown): number | null {
    try {
      const place = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(position), this.text.doc!)
      return place && place.type === this.text ? place.index : null
    } catch {
      return null
    }
  }
}
