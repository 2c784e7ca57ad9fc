// The functions of the page that the agent may call: those that an admin has described, under their names (docs/embedding.md).
import type { PageState, ToolReply } from '../protocol'

/** `callId`: the same for a call that comes again after a reload. `signal`: aborted when the call has taken too long. */
export type ToolHandler = (input: PageState, call: { readonly callId: string; readonly signal: AbortSignal }) => unknown
export type ToolHandlers = Readonly<Record<string, ToolHandler>>

const NAME = /^[\w-]{1,64}$/
const MAX_TOOLS = 50
const LONGEST_MS = 120_000
const MAX_BYTES = 40 * 1024 // of the result's JSON, which is longer in the server's form

export class PageTools {
  private handlers: ReadonlyMap<string, ToolHandler> = new Map()

  constructor(private readonly onChange: (names: readonly string[]) => void) {}

  get names(): readonly string[] {
    return [...this.handlers.keys()]
  }

  get all(): ToolHandlers {
    return Object.fromEntries(this.handlers)
  }

  /** Throws a TypeError, and changes nothing, when one of them can't be a tool. */
  setAll(handlers: ToolHandlers | null): void {
    const entries = Object.entries(handlers ?? {})
    const wrong = entries.find(([name, handler]) => !NAME.test(name) || typeof handler !== 'function')
    if (wrong) throw new TypeError(`${wrong[0]} is no tool: a name has 1 to 64 letters, digits, _ and -, and a function`)
    if (entries.length > MAX_TOOLS) throw new TypeError(`A page has at most ${MAX_TOOLS} tools`)
    this.handlers = new Map(entries)
    this.onChange(this.names)
  }

  /** Returns what takes the tool away again. Throws as `setAll` does. */
  register(name: string, handler: ToolHandler): () => void {
    this.setAll({ ...this.all, [name]: handler })
    return () => {
      if (this.handlers.get(name) === handler) this.setAll(Object.fromEntries([...this.handlers].filter(([other]) => other !== name)))
    }
  }

  /** Calls the page's function. Its error is a text for the agent. Null: the page has no such tool. */
  async call(name: string, input: PageState, callId: string): Promise<ToolReply | null> {
    const handler = this.handlers.get(name)
    if (!handler) return null
    try {
      return { output: plain(await inTime(handler, input, callId)) }
    } catch (error) {
      return { errorText: (error instanceof Error && error.message ? error.message : String(error)).slice(0, 500) || 'It failed.' }
    }
  }
}

async function inTime(handler: ToolHandler, input: PageState, callId: string): Promise<unknown> {
  const signal = AbortSignal.timeout(LONGEST_MS)
  const tooLate = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('It took longer than two minutes.'))))
  return Promise.race([handler(input, { callId, signal }), tooLate])
}

/** Returns the value as JSON says it, for nothing else crosses to the frame. Throws when it is too large, or JSON can't say it. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value ?? null) ?? 'null'
  if (new Blob([text]).size > MAX_BYTES) throw new Error('The result is larger than 40 KB.')
  return JSON.parse(text) as unknown
}
