// Values of a message as words. Pure.

/** Formats a time as `840 ms`, `4.2 s` or `1 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

const OWN_NAMES: Record<string, string> = { git_mcp_agent: 'GitHub agent' }

/** `document_agent` becomes `Document agent`. */
export function displayName(name: string): string {
  if (OWN_NAMES[name]) return OWN_NAMES[name]
  const words = name.replace(/[_-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const SHORT = 90

/** The argument of a tool call that best says what it is about; empty: none. */
export function inputSummary(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const values = input as Record<string, unknown>
  const named = ['title', 'instruction', 'query'].map((name) => values[name])
  const text = [...named, ...Object.values(values)].find((value): value is string => typeof value === 'string' && value !== '')
  return text ? (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text) : ''
}

/** A value for the reader: text as it is, anything else as indented JSON. */
export const formatValue = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** `providerMetadata.parley.durationMs`, if the server measured it. */
export function measuredMs(metadata: Record<string, Record<string, unknown>> | undefined): number | undefined {
  const value = metadata?.parley?.durationMs
  return typeof value === 'number' ? value : undefined
}
