import type { Fault } from './messages'

type MermaidError = { message?: string; hash?: { loc?: { first_line?: number } } }

const LONGEST = 600

/** The line that an error of Mermaid is about: its words win over its data, which can be one off. */
function lineOf({ message = '', hash }: MermaidError): number | null {
  const line = Number(/line (\d+)/i.exec(message)?.[1] ?? hash?.loc?.first_line)
  return Number.isInteger(line) && line > 0 ? line : null
}

export function faultOf(error: unknown): Fault {
  const known: MermaidError = typeof error === 'object' && error !== null ? error : { message: String(error) }
  return { message: (known.message || 'The diagram cannot be drawn.').slice(0, LONGEST), line: lineOf(known) }
}
