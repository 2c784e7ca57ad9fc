import { ApiError, errorMessage } from '../../api/client'
import type { VersionInfo } from '../../api/artifactTypes'
import { createStore } from '../../ui/store'
import { artifactsApi, type Conflict, type EditOperation, type SaveResult } from '../artifactsApi'
import { deleteDraft, storeDraft, type Draft } from './draft'

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict'
export type EditState = {
  /** Number of the version that `text` was made from. */
  readonly base: number
  readonly text: string
  readonly save: SaveState
  /** Why it is not saved, as a sentence. */
  readonly reason: string
  readonly conflict: Conflict | null
}

/** After the last key; and at most so long while the keys never rest. */
const SAVE_AFTER_MS = 2_000
const MAX_UNSAVED_MS = 15_000
const RETRY_MS = 10_000
const DRAFT_MS = 300

type Stored = Pick<SaveResult, 'content'> & { readonly version: Pick<VersionInfo, 'number'> }
type SavedListener = (saved: SaveResult) => void

const isTemporary = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500

/** One member's edit of one artifact: the text on the screen, and its way to the server. Lives outside React; nothing typed is ever lost. */
export class EditSession {
  readonly state
  /** The text of version `base`, as far as this page knows. */
  private stored: string
  private operation: EditOperation | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private draftTimer: ReturnType<typeof setTimeout> | undefined
  private unsavedSince = 0
  private savePromise: Promise<void> | undefined
  private hasDraft = false

  constructor(
    readonly id: string,
    number: number,
    stored: string,
    private readonly onSaved: SavedListener,
  ) {
    this.stored = stored
    this.state = createStore<EditState>({ base: number, text: stored, save: 'saved', reason: '', conflict: null })
  }

  get isUnsaved(): boolean {
    return this.state.get().save !== 'saved'
  }

  /** Why the server does not have everything, as a sentence. */
  get unsavedReason(): string {
    return this.state.get().reason || 'Your changes have to be saved first.'
  }

  /** The member typed. */
  change(text: string): void {
    if (text === this.state.get().text) return
    this.operation = undefined
    this.state.patch({ text })
    this.handleChange()
  }

  /** A page that is gone left this behind: it is saved like any edit, as soon as nothing else here waits to be. */
  async applyDraft({ base, text }: Draft): Promise<void> {
    await this.untilSaved()
    this.state.patch({ base, text })
    this.handleChange()
    this.keepDraft()
  }

  /** Save now, and wait for it. Returns whether the server has everything. */
  async save(autosave = true): Promise<boolean> {
    clearTimeout(this.timer)
    while (this.savePromise) await this.savePromise
    const { save } = this.state.get()
    if (save === 'saved' || save === 'conflict') return save === 'saved'
    this.savePromise = this.send(autosave).finally(() => (this.savePromise = undefined))
    await this.savePromise
    return !this.isUnsaved
  }

  /** There is a newer version. What is unsaved here keeps its base: the server merges the two when it is saved. */
  adoptNewer(number: number, content: string): void {
    if (this.isUnsaved || number <= this.state.get().base) return
    this.stored = content
    this.state.patch({ base: number, text: content })
  }

  /** Something else that the member did made a version of the saved text. */
  async rebaseOnto(answer: Stored): Promise<void> {
    const { number } = answer.version
    if (!this.isUnsaved) return this.adoptNewer(number, answer.content)
    if (number > this.state.get().base) await this.adopt(this.stored, answer)
  }

  /** The member took a change of a part of version `base`. */
  async patch(base: number, text: string, start: number, end: number): Promise<boolean> {
    this.change(text)
    this.operation = { operation: 'patch', start, end }
    this.state.patch({ base })
    return this.save(false)
  }

  /** An agent and the member changed the same lines, and both are stored. A draft of it keeps the old base, so that a reload finds the conflict again. */
  showConflict(conflict: Conflict): void {
    if (!this.isUnsaved) this.state.patch({ base: conflict.base.number, text: conflict.yours, save: 'conflict', conflict })
  }

  /** The member chose what becomes of a conflict: `text` follows their latest version. */
  async resolve(text: string): Promise<boolean> {
    const { conflict } = this.state.get()
    if (!conflict) return !this.isUnsaved
    this.stored = conflict.latest.content
    this.state.patch({ base: conflict.latest.number, text, conflict: null, save: 'unsaved', reason: '' })
    this.keepDraft()
    this.operation = { operation: 'merge' }
    return this.save(false)
  }

  /** The page goes away: keep what is not saved. */
  keepDraft(): void {
    clearTimeout(this.draftTimer)
    const { base, text } = this.state.get()
    if (this.isUnsaved) storeDraft(this.id, { base, text })
    else if (this.hasDraft) deleteDraft(this.id)
    this.hasDraft = this.isUnsaved
  }

  /** Until the server has everything. */
  private untilSaved(): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.isUnsaved) return
        unsubscribe()
        resolve()
      }
      const unsubscribe = this.state.subscribe(check)
      check()
    })
  }

  private handleChange(): void {
    const { save } = this.state.get()
    if (save === 'conflict') return
    if (save === 'saved') this.unsavedSince = Date.now()
    this.state.patch({ save: this.savePromise ? 'saving' : 'unsaved' })
    clearTimeout(this.draftTimer)
    this.draftTimer = setTimeout(() => this.keepDraft(), DRAFT_MS)
    this.scheduleSave(Math.min(SAVE_AFTER_MS, Math.max(0, this.unsavedSince + MAX_UNSAVED_MS - Date.now())))
  }

  private scheduleSave(pause: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.save(), pause)
  }

  private async send(autosave: boolean): Promise<void> {
    const { base, text } = this.state.get()
    const { operation } = this
    this.state.patch({ save: 'saving' })
    try {
      const saved = await artifactsApi.save(this.id, { content: text, base, autosave, ...operation })
      this.operation = undefined
      await this.adopt(text, saved)
      this.onSaved(saved)
    } catch (error) {
      this.handleFailure(error, text)
    }
  }

  /** `sent` became `content` on the server; what was typed since then goes on top. */
  private async adopt(sent: string, { version, content }: Stored): Promise<void> {
    const rebase = content === sent ? null : (await import('./rebase')).rebase
    const typed = this.state.get().text
    const text = rebase && typed !== sent ? rebase(sent, content, typed) : typed === sent ? content : typed
    this.stored = content
    this.state.patch({ base: version.number, text, save: text === content ? 'saved' : 'unsaved', reason: '', conflict: null })
    this.keepDraft()
    if (text === content) return
    this.unsavedSince = Date.now()
    this.scheduleSave(SAVE_AFTER_MS)
  }

  private handleFailure(error: unknown, sent: string): void {
    if (error instanceof ApiError && error.status === 409 && error.code === 'conflict') {
      if (this.state.get().text !== sent) return this.saveAgain() // its sides lack what was typed since
      return this.state.patch({ save: 'conflict', reason: '', conflict: error.body as Conflict })
    }
    this.state.patch({ save: 'failed', reason: errorMessage(error) })
    this.unsavedSince = Date.now()
    if (isTemporary(error)) this.scheduleSave(RETRY_MS)
  }

  private saveAgain(): void {
    this.state.patch({ save: 'unsaved' })
    this.scheduleSave(0)
  }
}
