import type { DiagramError } from './messages'

type MermaidError = { message?: string; hash?: { loc?: { first_line?: number } } }

const MAX_CHARS = 600

/** The line of a Mermaid error. The message wins over the data, which can be off by one. */
function lineOf({ message = '', hash }: MermaidError): number | null {
  const line = Number(/line (\d+)/i.exec(message)?.[1] ?? hash?.loc?.first_line)
  return Number.isInteger(line) && line > 0 ? line : null
}

/** `code`: the text to draw. The message is Mermaid's; empty: it has none. Mermaid reports an unexpected end one line after the last. */
export function diagramErrorOf(error: unknown, code: string): DiagramError {
  const mermaidError: MermaidError = typeof error === 'object' && error !== null ? error : { message: String(error) }
  const line = lineOf(mermaidError)
  const last = code.trimEnd().split('\n').length
  return { message: (mermaidError.message ?? '').slice(0, MAX_CHARS), line: line && Math.min(line, last) }
}
