// What the user writes while an answer runs or waits: it goes into that answer (docs/protocol.md, "While an answer runs").
import { api, ApiError, isUnreached, sentence } from '../../api/client'
import { backoffMs } from '../../api/backoff'
import { randomUuid } from '../../browser/uuid'
import { joined, notShown, sendingOf, withChange, without, type Pending } from './queuedMessages'
import type { ChatMessage } from '../../api/messageTypes'

/** The conversation that the messages belong to. */
export type Host = {
  readonly id: string
  messages(): readonly ChatMessage[]
  pending(): readonly Pending[]
  setPending(pending: readonly Pending[]): void
  /** The answer is over or pauses, and nothing is on its way. */
  atRest(): boolean
  /** The page stopped trying to reach the server by itself. */
  gaveUp(): boolean
  /** The server took a message; `resumed`: the answer goes on. */
  taken(resumed: boolean): void
  /** Send a message of its own. */
  send(text: string): void
  /** Put text back into the message box, for the reason `why`. */
  giveBack(text: string, why: string): void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export class Interjections {
  private attempt = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private flushing = false

  constructor(private readonly host: Host) {}

  /** Some wait until the server can be reached. */
  get holds(): boolean {
    return this.flushing || this.in('held').length > 0
  }

  /** Behind those that wait, so that they are read in the order in which they were written. */
  send(text: string): Promise<void> {
    const message = sendingOf(randomUuid(), text)
    const state = this.in('late').length ? 'late' : this.holds ? 'held' : 'sending'
    this.host.setPending([...this.host.pending(), { ...message, state }])
    if (state === 'late') return Promise.resolve()
    return state === 'held' ? this.flush() : this.post(message)
  }

  /** The server may be there again: what waits for it goes out, oldest first. */
  async flush(): Promise<void> {
    clearTimeout(this.timer)
    if (this.flushing || this.host.gaveUp()) return
    this.flushing = true
    let [next] = this.in('held')
    while (next) {
      this.change(next.id, { state: 'sending' })
      await this.post(next)
      if (this.in('late').length) for (const { id } of this.in('held')) this.change(id, { state: 'late' })
      const [first] = this.in('held')
      next = first?.id === next.id ? undefined : first
    }
    this.flushing = false
    if (this.holds) this.flushLater()
  }

  /** Once more under the same id, which the server takes once. */
  retry(id: string): Promise<void> {
    const message = this.host.pending().find((one) => one.id === id)
    if (message?.state !== 'failed') return Promise.resolve()
    this.change(id, { state: 'sending', error: '' })
    return this.post(message)
  }

  /** Take a failed one back into the message box. */
  edit(id: string): void {
    const message = this.host.pending().find((one) => one.id === id)
    if (message?.state !== 'failed') return
    this.host.setPending(without(this.host.pending(), id))
    this.host.giveBack(message.text, '')
  }

  /** The answer is over: what it did not take goes out by itself or back into the message box. `paused`: it will go on. */
  settle(paused: boolean): void {
    const open = notShown(this.host.pending(), this.host.messages())
    const unread = open.filter((one) => one.state === 'accepted' && !paused)
    const late = open.filter((one) => one.state === 'late')
    this.host.setPending(open.filter((one) => !unread.includes(one) && !late.includes(one)))
    if (unread.length) this.host.giveBack(joined(unread), 'The answer ended before it read your message. It is back in the message box.')
    if (late.length) this.host.send(joined(late))
  }

  private async post({ id, text }: Pending): Promise<void> {
    try {
      const { resumed } = await api.input(this.host.id, { id, text })
      this.attempt = 0
      this.change(id, { state: 'accepted' })
      this.host.taken(resumed)
    } catch (error) {
      this.refused(id, error)
    }
  }

  private flushLater(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.flush(), backoffMs(this.attempt++, FIRST_PAUSE_MS, LONGEST_PAUSE_MS))
  }

  private in(state: Pending['state']): readonly Pending[] {
    return this.host.pending().filter((one) => one.state === state)
  }

  private hold(id: string): void {
    this.change(id, { state: 'held' })
    if (!this.flushing) this.flushLater()
  }

  private refused(id: string, error: unknown): void {
    if (isUnreached(error)) return this.hold(id)
    if (!this.isLate(error)) return this.change(id, { state: 'failed', error: sentence(error) })
    this.change(id, { state: 'late' })
    if (this.host.atRest()) this.settle(false)
  }

  /** No run to go into: it is over, or the first message of a new conversation is not stored yet. */
  private isLate(error: unknown): boolean {
    if (!(error instanceof ApiError)) return false
    return error.code === 'run_over' || (error.code === 'not_found' && !this.host.atRest())
  }

  private change(id: string, change: Partial<Pending>): void {
    this.host.setPending(withChange(this.host.pending(), id, change))
  }
}
