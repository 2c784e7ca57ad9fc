// Writing together: as long as a member is alone in a document, its edit session saves as ever. When others come in, all write one live text.
import { plural, t } from '@lingui/core/macro'
import { createStore } from '../../ui/store'
import type { EditSession } from '../editing/editSession'
import type { LiveLink } from '../editing/editState'
import { loadArtifact } from '../store'
import { fromBase64, toBase64 } from './base64'
import type { Cursor, CursorSource } from './textCursors'
import { LiveSocket, type ServerFrame } from './liveSocket'
import type { LiveText } from './liveText'
import type { OtherWriter } from './writers'

/** Shorter gaps of the network are not reported. */
const SHORT_GAP_MS = 2500
const SAVE_WAIT_MS = 10_000

type JoinedFrame = Extract<ServerFrame, { type: 'joined' }>

/** This page's part in the live text of one artifact. It ends with `leave`. */
export class LiveSession implements LiveLink {
  readonly people = createStore<readonly OtherWriter[]>([])
  private readonly cursors = new Map<string, Cursor>()
  private readonly cursorListeners = new Set<() => void>()
  private readonly socket: LiveSocket
  private readonly unsubscribe: () => void
  private text: LiveText | undefined
  private documentId: string | null = null
  /** The newest update that this page has, and the newest one that a version has. */
  private seq = 0
  private savedSeq = 0
  /** The change that the server has not acknowledged, and what was typed since. A busy server gets fewer changes that way, not a queue of them. */
  private underWay: Uint8Array | undefined
  private unsent: Uint8Array[] = []
  private nextId = 0
  private cursor: Cursor | null = null
  private isCursorHeld = false
  private isSaveHeld = false
  private isJoining = false
  private isLeaving = false
  private isOffline = false
  private gapTimer: ReturnType<typeof setTimeout> | undefined
  private waitingSaves: (() => void)[] = []

  constructor(private readonly editing: EditSession) {
    this.socket = new LiveSocket(editing.id, {
      onOpen: () => this.text && this.askToJoin(),
      onFrame: (frame) => this.receive(frame),
      onClose: () => this.handleGap(),
      onRefused: () => this.end(),
    })
    this.unsubscribe = editing.state.subscribe(() => editing.state.get().save === 'saved' && void this.joinIfNotAlone())
  }

  private get isAcknowledged(): boolean {
    return !this.underWay && this.unsent.length === 0 && !this.text?.isWaiting
  }

  get hasUnsent(): boolean {
    return !this.isAcknowledged
  }

  change(text: string): void {
    this.text?.change(text)
  }

  flush(): void {
    this.text?.flush()
  }

  /** Has the server make a version of the live text. Returns whether it has everything. */
  async save(): Promise<boolean> {
    this.text?.flush()
    this.socket.connect()
    if (!this.socket.isOpen) return false
    this.isSaveHeld = true
    this.sendUnsent()
    await new Promise<void>((resolve) => {
      this.waitingSaves.push(resolve)
      setTimeout(resolve, SAVE_WAIT_MS)
    })
    return this.isAcknowledged
  }

  /** The document is closed here. What was typed is sent first. */
  leave(): void {
    this.isLeaving = true
    this.text?.flush()
    if (this.isAcknowledged) this.end()
  }

  private end(): void {
    clearTimeout(this.gapTimer)
    this.unsubscribe()
    this.socket.close()
    this.people.set([])
    if (this.text) this.editing.leaveLive()
    this.text?.destroy()
    this.text = undefined
    this.finishSaves()
  }

  private readonly cursorSource: CursorSource = {
    all: () => this.people.get().flatMap((writer) => {
      const cursor = this.cursors.get(writer.id)
      return cursor ? [[writer, cursor] as const] : []
    }),
    subscribe: (listener) => {
      this.cursorListeners.add(listener)
      return () => this.cursorListeners.delete(listener)
    },
  }

  private receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'people':
        return this.showPeople(frame.people)
      case 'joined':
        return this.handleJoined(frame)
      case 'update':
        this.seq = frame.seq
        this.text?.apply([fromBase64(frame.content)])
        return this.show()
      case 'ack':
        return this.handleAck(frame.id)
      case 'saved':
        return this.handleSaved(frame.seq, frame.version)
      case 'save-done':
        return this.finishSaves()
      case 'cursors':
        return this.showCursors(frame.cursors)
      case 'error':
        return this.handleRefusal(frame.code)
    }
  }

  private showPeople(people: readonly OtherWriter[]): void {
    const isNew = people.some(({ id }) => !this.people.get().some((person) => person.id === id))
    this.people.set(people)
    for (const id of this.cursors.keys()) if (!people.some((writer) => writer.id === id)) this.cursors.delete(id)
    this.tellCursors()
    if (isNew && this.text) this.socket.send({ type: 'cursor', cursor: this.cursor })
    void this.joinIfNotAlone()
  }

  /** What is unsaved is saved first, so that a conflict with a version is seen before anything is shared. */
  private async joinIfNotAlone(): Promise<void> {
    if (this.text || this.isJoining || this.isLeaving || this.people.get().length === 0 || !this.socket.isOpen) return
    this.isJoining = true
    try {
      if (!(await this.editing.save())) return
      const { LiveText } = await import('./liveText')
      if (this.isLeaving) return
      this.text = new LiveText({ onText: () => this.show(), onUpdate: (update) => this.sendUpdate(update), onCursor: (cursor) => this.sendCursor(cursor) })
      this.askToJoin()
    } catch {
      // The script could not be loaded: the edit session goes on alone, and its versions are merged.
    } finally {
      this.isJoining = false
    }
  }

  private askToJoin(): void {
    this.socket.send({ type: 'join', document: this.documentId, seq: this.seq })
  }

  private handleJoined({ document, seq, version, savedSeq, updates }: JoinedFrame): void {
    if (!this.text) return
    if (this.documentId !== null && this.documentId !== document) return this.end() // begun anew: what is not there yet is saved as an edit
    const isFirst = this.documentId === null
    Object.assign(this, { documentId: document, seq, savedSeq })
    this.text.apply(updates.map(fromBase64))
    clearTimeout(this.gapTimer)
    this.isOffline = false
    if (isFirst) void this.goLive(version)
    this.sendAgain()
    this.socket.send({ type: 'cursor', cursor: this.cursor })
    this.show()
  }

  /** A save that is under way is awaited: the server types what it brings into the live text, so typed by this page as well it would be there twice. */
  private async goLive(version: number): Promise<void> {
    await this.editing.untilSent()
    if (this.text) this.editing.goLive(this, version, this.text.collaboration(this.cursorSource))
    this.show()
  }

  private sendUpdate(update: Uint8Array): void {
    this.unsent.push(update)
    if (this.isOffline) this.show() // says how many are kept
    this.sendUnsent()
  }

  /** As one change, unless another one is under way. A version and the cursor come after it. */
  private sendUnsent(): void {
    if (this.underWay || this.documentId === null || this.isOffline) return
    if (this.unsent.length) {
      this.underWay = this.text!.joined(this.unsent)
      this.unsent = []
      this.socket.send({ type: 'update', id: this.nextId++, document: this.documentId, content: toBase64(this.underWay) })
    }
    if (this.isSaveHeld) this.isSaveHeld = !this.socket.send({ type: 'save' })
    if (!this.underWay) this.sendHeldCursor()
  }

  /** One for a change that was sent again since says nothing of what was sent with it. */
  private handleAck(id: number): void {
    if (id !== this.nextId - 1) return
    this.underWay = undefined
    this.sendUnsent()
    this.show()
    if (this.isLeaving && this.isAcknowledged) this.end()
  }

  /** Nobody knows whether the server has what was under way. It does no harm twice. */
  private sendAgain(): void {
    if (this.underWay) this.unsent.unshift(this.underWay)
    this.underWay = undefined
    this.sendUnsent()
  }

  private sendCursor(cursor: Cursor | null): void {
    this.cursor = cursor
    this.isCursorHeld = true
    this.sendUnsent()
  }

  private sendHeldCursor(): void {
    if (this.isCursorHeld) this.socket.send({ type: 'cursor', cursor: this.cursor })
    this.isCursorHeld = false
  }

  private handleSaved(seq: number, version: number): void {
    this.savedSeq = Math.max(seq, this.savedSeq)
    this.editing.noteLiveVersion(version)
    this.show()
    void loadArtifact(this.editing.id)
  }

  private showCursors(cursors: Readonly<Record<string, Cursor | null>>): void {
    for (const [from, cursor] of Object.entries(cursors)) {
      if (cursor) this.cursors.set(from, cursor)
      else this.cursors.delete(from)
    }
    this.tellCursors()
  }

  private tellCursors(): void {
    this.cursorListeners.forEach((listener) => listener())
  }

  /** A change that the server refuses for good: it is saved as an edit, which says why. */
  private handleRefusal(code: string): void {
    if (code === 'live_document_replaced') return this.askToJoin()
    this.end()
  }

  private handleGap(): void {
    this.isOffline = true
    this.isSaveHeld = false
    this.finishSaves()
    this.people.set([])
    if (!this.text) return
    clearTimeout(this.gapTimer)
    this.gapTimer = setTimeout(() => this.show(), SHORT_GAP_MS)
  }

  private finishSaves(): void {
    this.waitingSaves.forEach((resolve) => resolve())
    this.waitingSaves = []
  }

  private keptText(): string {
    const kept = this.unsent.length + (this.underWay ? 1 : 0)
    return kept === 0 ? t`Offline` : plural(kept, { one: 'Offline, # change kept', other: 'Offline, # changes kept' })
  }

  private show(): void {
    if (!this.text || this.documentId === null) return
    const isSaved = this.isAcknowledged && this.seq <= this.savedSeq
    const save = isSaved ? 'saved' : this.isOffline && !this.socket.isOpen ? 'offline' : 'unsaved'
    const reason = save === 'offline' ? this.keptText() : ''
    this.editing.showLive({ text: this.text.toString(), save, reason })
  }
}
