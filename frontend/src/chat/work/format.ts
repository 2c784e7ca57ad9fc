// Values of a message as words. Pure.
import type { DynamicToolUIPart } from 'ai'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

const OWN_NAMES: Record<string, MessageDescriptor> = { git_mcp_agent: msg`GitHub agent` }

/** `document_agent` becomes `Document agent`. */
export function displayName(name: string): string {
  if (OWN_NAMES[name]) return i18n._(OWN_NAMES[name])
  const words = name.replace(/[_-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const SHORT = 90

/** The argument of a tool call that best says what it is about; empty: none. */
export function inputSummary(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const values = input as Record<string, unknown>
  const mainValues = ['title', 'instruction', 'query'].map((name) => values[name])
  const text = [...mainValues, ...Object.values(values)].find((value): value is string => typeof value === 'string' && value !== '')
  return text ? (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text) : ''
}

/** A value for the reader: text as it is, anything else as indented JSON. */
export const formatValue = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** `providerMetadata.parley.durationMs`, if the server measured it. */
export function measuredMs(metadata: Record<string, Record<string, unknown>> | undefined): number | undefined {
  const value = metadata?.parley?.durationMs
  return typeof value === 'number' ? value : undefined
}

/** How long a call took that is over, if the server measured it. */
export const resultMs = (part: DynamicToolUIPart): number | undefined => (part.state === 'output-available' || part.state === 'output-error' ? measuredMs(part.resultProviderMetadata) : undefined)
