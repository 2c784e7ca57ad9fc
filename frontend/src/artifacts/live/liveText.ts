// The text that several write at once, as Yjs has it. Loaded when somebody else is there; nothing else imports Yjs.
import { keymap } from '@codemirror/view'
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next'
import * as Y from 'yjs'
import type { Collaboration } from '../editing/editState'
import { changesBetween } from '../editing/rebase'
import { cursors } from './cursors'
import { freshText } from './freshText'
import { YTextCursors, type Cursor, type CursorSource } from './textCursors'

/** The same name as on the server (artifacts/live/text.py). */
const NAME = 'content'
const REMOTE = 'remote'
/** From one frame of changes to the next: a held key repeats every 33 ms, and each frame counts for the server's limits. */
const GAP_MS = 60

type Listener = {
  /** Somebody changed the text. */
  onText(): void
  /** What this page changed, which the server does not have: the first change at once, those that follow together. */
  onUpdate(update: Uint8Array): void
  /** The selection of this page. */
  onCursor(cursor: Cursor | null): void
}

export class LiveText {
  private readonly doc = new Y.Doc()
  private readonly text = this.doc.getText(NAME)
  private readonly undo = new Y.UndoManager(this.text)
  private waiting: Uint8Array[] = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private sentAt = -GAP_MS

  constructor(private readonly listener: Listener) {
    this.doc.on('update', (update: Uint8Array, origin: unknown) => origin !== REMOTE && this.wait(update))
    this.text.observe(() => listener.onText())
  }

  toString(): string {
    return this.text.toString()
  }

  /** Whether something was typed that was not passed to `onUpdate` yet. */
  get isWaiting(): boolean {
    return this.waiting.length > 0
  }

  /** Takes over what others wrote. */
  apply(updates: readonly Uint8Array[]): void {
    this.doc.transact(() => updates.forEach((update) => Y.applyUpdate(this.doc, update, REMOTE)), REMOTE)
  }

  /** Makes this the text, by changes where it differs. */
  change(text: string): void {
    this.doc.transact(() => {
      let shift = 0
      changesBetween(this.toString(), text).iterChanges((from, to, _, __, inserted) => {
        this.text.delete(from + shift, to - from)
        this.text.insert(from + shift, inserted.toString())
        shift += inserted.length - (to - from)
      })
    })
  }

  /** Several changes as one. */
  joined(updates: readonly Uint8Array[]): Uint8Array {
    return Y.mergeUpdates([...updates])
  }

  /** Tells of everything that was typed, now. */
  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const updates = this.waiting
    this.waiting = []
    if (!updates.length) return
    this.sentAt = performance.now()
    this.listener.onUpdate(this.joined(updates))
  }

  collaboration(others: CursorSource): Collaboration {
    const shared = yCollab(this.text, null, { undoManager: this.undo })
    const places = new YTextCursors(this.text, others, this.listener.onCursor)
    return { extension: [shared, keymap.of(yUndoManagerKeymap), cursors(places), freshText()], text: () => this.toString(), cursors: places }
  }

  destroy(): void {
    clearTimeout(this.timer)
    this.doc.destroy()
  }

  private wait(update: Uint8Array): void {
    this.waiting.push(update)
    this.timer ??= setTimeout(() => this.flush(), Math.max(0, this.sentAt + GAP_MS - performance.now()))
  }
}
