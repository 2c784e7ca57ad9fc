// Files in messages: uploads, the files of the next message, and files in sent messages and answers.
import type { FileUIPart } from 'ai'
import { plural, t } from '@lingui/core/macro'
import { boot } from '../api/boot'
import { ApiError, errorMessage } from '../api/client'
import { readDraft, writeDraft } from '../browser/drafts'
import { randomUuid } from '../browser/uuid'
import { createStore } from '../ui/store'
import { cacheFile } from './fileCache'
import { toFilePart, formatSize } from './fileParts'
import type { FileItem } from '../api/generated'
import { filesApi, uploadFile } from './filesApi'

/** `error`: why the file was not accepted, as a sentence. `item`: the file on the server, once it is uploaded. */
export type Attachment = {
  readonly key: string
  readonly name: string
  readonly sizeBytes: number
  readonly progress: number
  readonly preview: string
  readonly error: string
  readonly item: FileItem | undefined
}

const POLL_MS = 1000
const LATER_POLL_MS = 5000 // a worker with many documents can take long: the state is right, but no longer to the second
const QUICK_POLLS = 60

const isUploading = (one: Attachment): boolean => !one.item && !one.error

export class Attachments {
  readonly list = createStore<readonly Attachment[]>([])
  private readonly uploads = new Map<string, AbortController>()
  private isOpen = false

  /** `draftId`: under which the unsent files are stored for a reload; without it they are not. */
  constructor(private readonly draftId?: () => string) {}

  /** Restores what was attached before a reload. Only the first call does. */
  open(): void {
    if (this.isOpen) return
    this.isOpen = true
    if (this.draftId) this.restore(readDraft(draftKey(this.draftId())).split(',').filter(Boolean))
  }

  /** Begins to upload the files. Returns their keys. */
  add(files: readonly File[]): readonly string[] {
    return files.map((file) => this.show(file))
  }

  remove(key: string): void {
    const one = this.find(key)
    this.uploads.get(key)?.abort()
    if (one?.item) filesApi.remove(one.item.id).catch(() => undefined) // the server forgets unsent files by itself
    if (one?.preview) URL.revokeObjectURL(one.preview)
    this.setList(this.list.get().filter((other) => other.key !== key))
  }

  get uploading(): boolean {
    return this.list.get().some(isUploading)
  }

  /** Takes the uploaded files as parts of a message. Files with an error stay on screen. */
  take(): FileUIPart[] {
    const files = this.list.get().flatMap((one) => one.item ?? [])
    this.setList(this.list.get().filter((one) => !one.item))
    files.forEach(cacheFile)
    return files.map(toFilePart)
  }

  /** Attaches files that are already on the server. Deleted ones are left out. */
  restore(ids: readonly string[]): void {
    void Promise.allSettled(ids.map((id) => filesApi.get(id))).then((results) => {
      for (const one of results) if (one.status === 'fulfilled') this.showUploaded({ ...newAttachment(one.value.name, one.value.sizeBytes), key: one.value.id, item: one.value })
    })
  }

  /** Lists the file, and uploads it if it can be attached. Returns its key. */
  private show(file: File): string {
    const refusal = this.refusal(file)
    const one = { ...newAttachment(file.name, file.size), error: refusal, preview: file.type.startsWith('image/') && !refusal ? URL.createObjectURL(file) : '' }
    this.setList([...this.list.get(), one])
    if (!refusal) void this.upload(file, one)
    return one.key
  }

  private async upload(file: File, one: Attachment): Promise<void> {
    const controller = new AbortController()
    this.uploads.set(one.key, controller)
    try {
      const item = await uploadFile(file, (progress) => this.change(one.key, { progress }), controller.signal)
      if (this.find(one.key)) this.showUploaded({ ...one, item, name: item.name })
      else void filesApi.remove(item.id)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'aborted')) this.change(one.key, { error: errorMessage(error) })
    } finally {
      this.uploads.delete(one.key)
    }
  }

  /** Why the file cannot be attached, as far as the page can tell before an upload; empty: it can. */
  private refusal(file: File): string {
    const { maxFiles, maxBytes, maxMessageBytes } = boot.files
    const limit = formatSize(maxBytes)
    const messageLimit = formatSize(maxMessageBytes)
    const accepted = this.list.get().filter((one) => !one.error)
    if (accepted.length >= maxFiles) return plural(maxFiles, { one: 'A message can have at most # file.', other: 'A message can have at most # files.' })
    if (file.size > maxBytes) return t`This file is too large. The limit is ${limit}.`
    const together = accepted.reduce((sum, one) => sum + one.sizeBytes, file.size)
    return together > maxMessageBytes ? t`These files are too large together. The limit for one message is ${messageLimit}.` : ''
  }

  /** Shows an uploaded file, and asks for its state until the server has extracted its text. */
  private showUploaded(one: Attachment): void {
    const others = this.list.get()
    this.setList(this.find(one.key) ? others.map((other) => (other.key === one.key ? one : other)) : [...others, one])
    if (one.item?.state === 'pending') void this.poll(one.key, one.item.id)
  }

  private async poll(key: string, id: string): Promise<void> {
    for (let turn = 0; this.find(key)?.item?.state === 'pending'; turn++) {
      await new Promise((resolve) => setTimeout(resolve, turn < QUICK_POLLS ? POLL_MS : LATER_POLL_MS))
      if (!this.find(key)) return
      try {
        this.change(key, { item: await filesApi.get(id) })
      } catch (error) {
        // the file was deleted; any other error, as of a lost connection, is no news about it
        if (error instanceof ApiError && error.status === 404) this.change(key, { item: undefined, error: errorMessage(error) })
      }
    }
  }

  private find(key: string): Attachment | undefined {
    return this.list.get().find((one) => one.key === key)
  }

  private change(key: string, change: Partial<Attachment>): void {
    this.setList(this.list.get().map((one) => (one.key === key ? { ...one, ...change } : one)))
  }

  private setList(list: readonly Attachment[]): void {
    this.list.set(list)
    if (this.draftId) writeDraft(draftKey(this.draftId()), list.flatMap((one) => one.item?.id ?? []).join(','))
  }
}

const draftKey = (id: string): string => `files:${id}`

const newAttachment = (name: string, sizeBytes: number): Attachment => ({ key: randomUuid(), name, sizeBytes, progress: 0, preview: '', error: '', item: undefined })
