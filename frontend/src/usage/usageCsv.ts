import type { UsageSummary } from '../api/generated'

const COLUMNS = ['day', 'model', 'answers', 'calls', 'inputTokens', 'cachedTokens', 'outputTokens', 'thinkingTokens', 'costUsd', 'unpricedCalls'] as const

const quoted = (value: string | number | null): string => (value === null ? '' : typeof value === 'number' ? String(value) : `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`)

/** A line for each day and model. An unknown cost stays empty. Text that a sheet would take for a formula begins with an apostrophe. */
export const usageCsv = ({ days }: UsageSummary): string => [COLUMNS.join(','), ...days.map((day) => COLUMNS.map((name) => quoted(day[name])).join(','))].join('\r\n') + '\r\n'
