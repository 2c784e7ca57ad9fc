// A page and a network for tests in Node: a fake browser, and a server that answers as the test says.
import { vi } from 'vitest'

export type Frame = { readonly type: string; readonly requestId: string; readonly messages?: readonly { readonly id: string }[] }
type Chunk = Record<string, unknown>

const BOOT = { organization: { slug: 'acme', name: 'Acme' }, api: '/o/acme/api', socketUrl: 'ws://localhost/o/acme/ws/chat/', models: [], role: 'owner' }

/** Answers to a request frame, in order. `cut` closes the socket. */
export type Answer = 'start' | 'end' | 'no-active' | 'cut' | { readonly chunk: Chunk } | { readonly errorText: string }
export type Post = { readonly path: string; readonly body: Record<string, unknown> }
export type RestAnswer = 'offline' | readonly [status: number, body: object]
export type Script = (frame: Frame) => readonly Answer[]

export class FakeNetwork {
  readonly frames: Frame[] = []
  /** True: no socket opens. */
  down = false
  script: Script = () => ['start', 'end']
  /** Sends more answers to the newest request. */
  more: (answers: readonly Answer[]) => void = () => undefined
  /** Answers of GET requests by path, or promises of them; anything else is 404. */
  bodies: Record<string, unknown> = {}
  readonly requested: string[] = []
  /** All REST requests with a body. */
  readonly posts: Post[] = []
  /** The answer to such a request: a status with a body, or `offline`. */
  reply: (post: Post) => RestAnswer | Promise<RestAnswer> = () => [202, {}]

  install(): void {
    vi.stubGlobal('document', { addEventListener: () => undefined, documentElement: { lang: 'en' }, getElementById: () => ({ textContent: JSON.stringify(BOOT) }) })
    vi.stubGlobal('location', { href: 'http://localhost/o/acme/', origin: 'http://localhost', pathname: '/o/acme/' })
    vi.stubGlobal('matchMedia', () => ({ matches: true }))
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) => (init?.body ? this.post(path, String(init.body)) : this.fetch(path)))
    vi.stubGlobal('WebSocket', socketClass(this))
  }

  private async post(path: string, body: string): Promise<Response> {
    const post = { path, body: JSON.parse(body) as Record<string, unknown> }
    this.posts.push(post)
    const answer = await this.reply(post)
    if (answer === 'offline') throw new TypeError('Failed to fetch')
    return Response.json(answer[1], { status: answer[0] })
  }

  private async fetch(path: string): Promise<Response> {
    this.requested.push(path)
    const body = await this.bodies[path]
    return body ? Response.json(body) : Response.json({ error: { code: 'not_found', message: 'Not found.' } }, { status: 404 })
  }
}

function socketClass(network: FakeNetwork) {
  return class FakeSocket {
    readyState = 0
    bufferedAmount = 0
    onopen: (() => void) | null = null
    onmessage: ((event: { data: string }) => void) | null = null
    onclose: ((event: { code: number }) => void) | null = null
    onerror: (() => void) | null = null

    constructor() {
      queueMicrotask(() => (network.down ? this.onerror?.() : this.open()))
    }

    send(text: string): void {
      const frame = JSON.parse(text) as Frame
      network.frames.push(frame)
      if (frame.type === 'abort') return
      let sequence = 0
      network.more = (answers) => {
        for (const answer of answers) {
          if (answer === 'cut') return this.close()
          this.reply(frame.requestId, answer, sequence)
          if (typeof answer === 'object' && 'chunk' in answer) sequence++
        }
      }
      network.more(network.script(frame))
    }

    close(): void {
      this.readyState = 3
      queueMicrotask(() => this.onclose?.({ code: 1006 }))
    }

    private open(): void {
      this.readyState = 1
      this.onopen?.()
    }

    private reply(requestId: string, answer: Exclude<Answer, 'cut'>, sequence: number): void {
      const frame =
        typeof answer === 'string'
          ? { type: answer, requestId }
          : 'chunk' in answer
            ? { type: 'chunk', requestId, sequence, chunk: answer.chunk }
            : { type: 'error', requestId, errorText: answer.errorText }
      queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(frame) }))
    }
  }
}

export const chunk = (value: Chunk): Answer => ({ chunk: value })

/** The chunks of an answer with the id `a1`, up to and without its end. */
export const answerStart = (text: string): readonly Answer[] => [
  'start',
  chunk({ type: 'start', messageId: 'a1', messageMetadata: { runId: 'r1' } }),
  chunk({ type: 'start-step' }),
  chunk({ type: 'text-start', id: 't' }),
  chunk({ type: 'text-delta', id: 't', delta: text }),
]

export const steeringMessage = (id: string, text: string): Answer => chunk({ type: 'steering-message', id, parts: [{ type: 'text', text }] })

/** An answer that asks a question and waits for the reply. */
export const questionAnswer = (text: string): readonly Answer[] => [
  ...answerStart(text),
  chunk({ type: 'text-end', id: 't' }),
  chunk({ type: 'finish-step' }),
  chunk({ type: 'finish', finishReason: 'stop', messageMetadata: { waiting: 'reply' } }),
  'end',
]

const call = (id: string): readonly Answer[] => [
  chunk({ type: 'tool-input-available', toolCallId: id, toolName: 'document_agent', input: { title: id }, dynamic: true }),
  chunk({ type: 'tool-approval-request', approvalId: `approval-${id}`, toolCallId: id }),
]

/** An answer that waits for a decision about each of these calls. */
export const approvalAnswer = (...ids: readonly string[]): readonly Answer[] => [
  ...answerStart('I need a tool.'),
  chunk({ type: 'text-end', id: 't' }),
  ...ids.flatMap(call),
  chunk({ type: 'finish-step' }),
  chunk({ type: 'finish', finishReason: 'tool-calls', messageMetadata: { waiting: 'approval' } }),
  'end',
]

/** The same answer once the first call was decided. */
export const decidedAnswer = (id: string, approved: boolean, reason?: string): readonly Answer[] => [
  ...answerStart('I need a tool.'),
  chunk({ type: 'text-end', id: 't' }),
  ...call(id),
  chunk({ type: 'tool-approval-response', approvalId: `approval-${id}`, approved, ...(reason && { reason }) }),
  chunk(approved ? { type: 'tool-output-available', toolCallId: id, output: 'done', dynamic: true } : { type: 'tool-output-denied', toolCallId: id }),
  chunk({ type: 'finish-step' }),
  chunk({ type: 'finish', finishReason: 'stop', messageMetadata: { waiting: null } }),
  'end',
]

export const completeAnswer = (text: string): readonly Answer[] => [
  ...answerStart(text),
  chunk({ type: 'text-end', id: 't' }),
  chunk({ type: 'finish-step' }),
  chunk({ type: 'finish', finishReason: 'stop' }),
  'end',
]

export const failedAnswer = (text: string): readonly Answer[] => [...answerStart(text), chunk({ type: 'error', errorText: 'The provider is busy.' }), 'end']
