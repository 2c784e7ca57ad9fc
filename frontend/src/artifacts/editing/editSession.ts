// How a member's edit gets to the server: the session of one artifact, its drafts in the browser, and conflicts.
import { t } from '@lingui/core/macro'
import type { ConflictSides, NewVersionRequest, SavedVersion, VersionItem } from '../../api/generated'
import { ApiError, errorMessage } from '../../api/client'
import { createStore } from '../../ui/store'
import { artifactsApi, type EditOperation } from '../artifactsApi'
import type { Draft } from './draft'
import { DraftKeeper } from './draftKeeper'
import type { Collaboration, EditState, LiveLink } from './editState'
import { SaveTimer } from './saveTimer'

type StoredVersion = Pick<SavedVersion, 'content'> & { readonly version: Pick<VersionItem, 'number'> }
type SavedListener = (version: SavedVersion) => void

/** Browsers let requests outlive their page only up to 64 KB; the rest of the body is small. */
const MAX_LEAVING_BYTES = 60_000
const canOutlivePage = (text: string): boolean => new TextEncoder().encode(JSON.stringify(text)).length <= MAX_LEAVING_BYTES

const isTemporary = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500

/** One member's edit of one artifact: the text on screen, and how it gets to the server. It lives outside React, so that no typed text is lost when a view goes away. */
export class EditSession {
  readonly state
  /** The text of version `base`, as far as this page knows. */
  private storedText: string
  private operation: EditOperation | undefined
  private readonly saveTimer = new SaveTimer(() => void this.save())
  private readonly drafts: DraftKeeper
  private savePromise: Promise<void> | undefined
  private live: LiveLink | undefined

  constructor(
    readonly id: string,
    number: number,
    content: string,
    private readonly onSaved: SavedListener,
  ) {
    this.storedText = content
    this.state = createStore<EditState>({ base: number, text: content, save: 'saved', reason: '', conflict: null, draftKept: true, live: null })
    this.drafts = new DraftKeeper(
      id,
      () => this.unsavedDraft(),
      (draftKept) => {
        if (draftKept !== this.state.get().draftKept) this.state.patch({ draftKept })
        if (!draftKept && !this.live) this.saveTimer.soon()
      },
    )
  }

  get isUnsaved(): boolean {
    return this.state.get().save !== 'saved'
  }

  /** The text on screen is nowhere else. */
  get isAtRisk(): boolean {
    return this.unsavedDraft() !== null && !this.state.get().draftKept
  }

  /** Why the latest text is not saved, as a sentence. */
  get unsavedReason(): string {
    return this.state.get().reason || t`Save your changes first.`
  }

  /** The member typed. */
  change(text: string): void {
    if (text === this.state.get().text) return
    if (this.live) return this.live.change(text)
    this.operation = undefined
    this.state.patch({ text })
    this.handleChange()
  }

  /** From now on this is one of several who write the live text. What was typed since the last save is typed there. */
  goLive(live: LiveLink, version: number, collaboration: Collaboration): void {
    const { text } = this.state.get()
    const [before, liveText] = [this.storedText, collaboration.text()]
    this.saveTimer.cancel()
    this.live = live
    this.storedText = liveText
    this.state.patch({ base: version, text: liveText, save: 'saved', reason: '', live: collaboration })
    if (text !== before) void import('./rebase').then(({ rebase }) => live.change(rebase(before, liveText, text)))
    this.keepDraft()
  }

  /** The live text as it is now. */
  showLive(liveState: Pick<EditState, 'text' | 'save' | 'reason'>): void {
    if (!this.live) return
    this.state.patch(this.state.get().conflict ? { text: liveState.text } : liveState)
    this.drafts.updateSoon()
  }

  /** Version `number` was made of the live text. */
  noteLiveVersion(number: number): void {
    if (this.live) this.state.patch({ base: Math.max(number, this.state.get().base) })
  }

  /** This member writes alone again. What the server has not acknowledged is saved like any edit. */
  leaveLive(): void {
    if (!this.live) return // the page left before it was let in: what was typed meanwhile is an edit like any other
    const isUnsent = this.live.hasUnsent
    this.live = undefined
    this.storedText = this.state.get().text
    this.state.patch({ live: null, save: isUnsent ? 'unsaved' : 'saved', reason: '' })
    this.keepDraft()
    if (isUnsent) this.saveTimer.soon()
  }

  /** The document is closed. What several write becomes a version when the last one goes. */
  close(): void {
    if (!this.live) void this.save()
  }

  /** Takes over the draft of a closed page. It is saved like any edit, after what is unsaved here. */
  async applyDraft({ base, text }: Draft): Promise<void> {
    await this.untilSaved()
    this.state.patch({ base, text })
    this.handleChange()
    this.keepDraft()
    this.saveTimer.soon()
  }

  /** Saves now and waits for the result. Returns whether the server has everything. */
  async save(autosave = true): Promise<boolean> {
    if (this.live) return this.live.save()
    this.saveTimer.cancel()
    while (this.savePromise) await this.savePromise
    const { save } = this.state.get()
    if (save === 'saved' || save === 'conflict') return save === 'saved'
    await this.send(autosave)
    return !this.isUnsaved
  }

  /** Resolves when no save is under way. */
  async untilSent(): Promise<void> {
    while (this.savePromise) await this.savePromise
  }

  /** There is a newer version. Unsaved text keeps its base, and the server merges the two when it is saved. */
  adoptNewer(number: number, content: string): void {
    if (this.live || this.isUnsaved || number <= this.state.get().base) return
    this.storedText = content
    this.state.patch({ base: number, text: content })
  }

  /** Another action of the member made a version from the saved text. */
  async rebaseOnto(answer: StoredVersion): Promise<void> {
    if (this.live) return // which follows every version by itself
    const { number } = answer.version
    if (!this.isUnsaved) return this.adoptNewer(number, answer.content)
    if (number > this.state.get().base) await this.adopt(this.storedText, answer)
  }

  /** The member accepted a change to a part of version `base`. */
  async patch(base: number, text: string, start: number, end: number): Promise<boolean> {
    if (this.live) return this.sendBesideLive({ content: text, base, operation: 'patch', start, end })
    this.change(text)
    this.operation = { operation: 'patch', start, end }
    this.state.patch({ base })
    return this.save(false)
  }

  /** An agent and the member changed the same lines, and both versions are stored. The draft keeps the old base, so that the conflict survives a reload. */
  showConflict(conflict: ConflictSides): void {
    if (this.live) return this.state.patch({ save: 'conflict', conflict })
    if (!this.isUnsaved) this.state.patch({ base: conflict.base.number, text: conflict.yours, save: 'conflict', conflict })
  }

  /** The member resolved the conflict: `text` becomes the version after the other side's latest. */
  async resolve(text: string): Promise<boolean> {
    const { conflict } = this.state.get()
    if (!conflict) return !this.isUnsaved
    if (this.live) {
      this.state.patch({ conflict: null })
      return this.sendBesideLive({ content: text, base: conflict.latest.number, operation: 'merge' })
    }
    this.storedText = conflict.latest.content
    this.state.patch({ base: conflict.latest.number, text, conflict: null, save: 'unsaved', reason: '' })
    this.keepDraft()
    this.operation = { operation: 'merge' }
    return this.save(false)
  }

  /** Stores unsaved text in the browser. */
  keepDraft(): void {
    this.drafts.update()
  }

  /** The page is out of sight and may be closed there. A text that would be too long to be sent then is sent now. */
  hide(): void {
    this.live?.flush()
    this.keepDraft()
    if (this.live) return
    if (this.isAtRisk || !canOutlivePage(this.state.get().text)) void this.save()
  }

  /** The page goes away: its draft stays until a page knows that the server has it. The page may also come back, from the browser's cache. */
  leave(): void {
    this.live?.flush()
    this.keepDraft()
    if (this.live) return
    const { save, text } = this.state.get()
    if (['unsaved', 'failed'].includes(save) && !this.savePromise && canOutlivePage(text)) void this.send(true, true)
  }

  private unsavedDraft(): Draft | null {
    const { base, text } = this.state.get()
    return (this.live ? this.live.hasUnsent : this.isUnsaved) ? { base, text } : null
  }

  /** Makes a version at once, which the live text then follows. */
  private async sendBesideLive(version: NewVersionRequest): Promise<boolean> {
    try {
      this.onSaved(await artifactsApi.save(this.id, version))
      return true
    } catch (error) {
      this.state.patch({ save: 'failed', reason: errorMessage(error) })
      return false
    }
  }

  /** Resolves when the server has everything. */
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
    if (save === 'saved') this.saveTimer.markUnsaved()
    this.state.patch({ save: this.savePromise ? 'saving' : 'unsaved' })
    this.drafts.updateSoon()
    this.saveTimer.afterChange()
  }

  /** One request at a time: a second one would have the same base. */
  private send(autosave: boolean, leaving = false): Promise<void> {
    this.savePromise = this.request(autosave, leaving).finally(() => (this.savePromise = undefined))
    return this.savePromise
  }

  private async request(autosave: boolean, leaving: boolean): Promise<void> {
    const { base, text } = this.state.get()
    const { operation } = this
    this.state.patch({ save: 'saving' })
    try {
      const answer = await artifactsApi.save(this.id, { content: text, base, autosave, ...operation }, leaving)
      this.operation = undefined
      await this.adopt(text, answer)
      this.onSaved(answer)
    } catch (error) {
      this.handleFailure(error, text)
    }
  }

  /** The server stored `sentText` as `content`. What was typed since then is applied on top of it. */
  private async adopt(sentText: string, { version, content }: StoredVersion): Promise<void> {
    const rebase = content === sentText ? null : (await import('./rebase')).rebase
    const ownText = this.state.get().text
    const text = rebase && ownText !== sentText ? rebase(sentText, content, ownText) : ownText === sentText ? content : ownText
    this.storedText = content
    this.state.patch({ base: version.number, text, save: text === content ? 'saved' : 'unsaved', reason: '', conflict: null })
    if (text !== content) this.saveTimer.afterSave()
    this.keepDraft() // after the timer: without room for the draft the next save is sooner
  }

  private handleFailure(error: unknown, sentText: string): void {
    if (error instanceof ApiError && error.status === 409 && error.code === 'conflict') {
      if (this.state.get().text !== sentText) return this.saveAgain() // the response does not know what was typed since
      return this.state.patch({ save: 'conflict', reason: '', conflict: error.body as ConflictSides })
    }
    this.state.patch({ save: 'failed', reason: errorMessage(error) })
    this.keepDraft()
    this.saveTimer.markUnsaved()
    if (isTemporary(error)) this.saveTimer.afterFailure()
    else this.saveTimer.cancel() // also where the browser has no room for the draft: the server would only refuse it again
  }

  private saveAgain(): void {
    this.state.patch({ save: 'unsaved' })
    this.saveTimer.now()
  }
}
