// Highlights code outside the main thread. Each code block is a stream, and only changed lines are posted.
import type { Grammar, Span } from './grammars'
import { CodeStream, highlighterFor } from './highlighter'

export type HighlightRequest = { readonly id: number; readonly grammar: Grammar; readonly code: string } | { readonly id: number; readonly drop: true }
/** `lines` replace everything from line `from` on. */
export type HighlightResponse = { readonly id: number; readonly from: number; readonly lines: readonly Span[][] }

const streams = new Map<number, { readonly stream: CodeStream; sent: number }>()
const waiting = new Map<number, { readonly grammar: Grammar; readonly code: string }>()
let scheduled = false

async function streamOf(id: number, grammar: Grammar) {
  const entry = streams.get(id)
  if (entry?.stream.grammar === grammar) return entry
  const fresh = { stream: new CodeStream(await highlighterFor(grammar), grammar), sent: 0 }
  streams.set(id, fresh)
  return fresh
}

async function work(): Promise<void> {
  scheduled = false
  for (const [id, { grammar, code }] of waiting) {
    waiting.delete(id)
    const entry = await streamOf(id, grammar)
    const lines = entry.stream.update(code)
    const from = Math.min(entry.sent, entry.stream.settled, lines.length)
    entry.sent = entry.stream.settled
    postMessage({ id, from, lines: lines.slice(from) } satisfies HighlightResponse)
  }
}

onmessage = ({ data }: MessageEvent<HighlightRequest>) => {
  if ('drop' in data) {
    streams.delete(data.id)
    waiting.delete(data.id)
    return
  }
  waiting.set(data.id, data) // newer text replaces older text that was not read yet
  if (scheduled) return
  scheduled = true
  setTimeout(() => void work(), 0)
}
