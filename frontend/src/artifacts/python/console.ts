// The state of the console, as a pure reducer of the messages of the frame.
import { t } from '@lingui/core/macro'
import { numberText } from '../../language/formats'
import { duration } from '../../language/numbers'
import { MAX_MEMORY_MB, MAX_OUTPUT_BYTES, MAX_PROGRAM_S } from '../../sandbox/python/limits'
import type { FromFrame, Outcome, StopReason } from '../../sandbox/python/messages'

export type ConsoleEntry =
  | { readonly kind: 'out' | 'err' | 'note' | 'value' | 'error'; readonly text: string }
  | { readonly kind: 'picture'; readonly png: string }

/** off: Python is not started. starting: Python loads. asking: the program waits for a line of input. stopping: the user pressed Stop. */
export type Phase = 'off' | 'starting' | 'running' | 'asking' | 'stopping' | 'ready'
export type Console = {
  readonly phase: Phase
  readonly entries: readonly ConsoleEntry[]
  readonly last: RunResult | null
  readonly runs: boolean
  /** The current or the last program. */
  readonly code: string
  /** The packages that are loaded for the program; empty: none. */
  readonly loading: string
  /** How much of them is there; null: not known. */
  readonly loadedPercent: number | null
  /** The assistant was asked to fix the last error. */
  readonly fixing: boolean
}
/** How the last program ended. `line` 0: the error is in no line of the program. `memoryMb` null: not known. */
export type RunResult = { readonly status: Outcome['status'] | 'failed'; readonly ms: number; readonly memoryMb: number | null; readonly line: number; readonly traceback: string }

export const EMPTY_CONSOLE: Console = { phase: 'off', entries: [], last: null, runs: false, code: '', loading: '', loadedPercent: null, fixing: false }

const isStream = (entry: ConsoleEntry | undefined): entry is ConsoleEntry & { kind: 'out' | 'err' } => entry?.kind === 'out' || entry?.kind === 'err'

/** Adds an entry. Text of the same stream is appended to the last entry, and empty text is left out. */
function withEntry(entries: readonly ConsoleEntry[], next: ConsoleEntry): readonly ConsoleEntry[] {
  const last = entries.at(-1)
  if (next.kind !== 'picture' && !next.text) return entries
  if (!isStream(next) || !isStream(last) || last.kind !== next.kind) return [...entries, next]
  return [...entries.slice(0, -1), { kind: next.kind, text: last.text + next.text }]
}

/** Characters of the names of packages that are shown. */
const MAX_NAMES = 60
const PNG_BASE64 = /^iVBORw0KGgo[A-Za-z0-9+/]*={0,2}$/

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 2 * MAX_OUTPUT_BYTES

/** A new program starts, and the output of the old one goes away. */
export const startRun = (console: Console, code: string): Console => ({
  phase: console.phase === 'off' || console.phase === 'starting' ? 'starting' : 'running',
  entries: [],
  last: null,
  runs: true,
  code,
  loading: '',
  loadedPercent: null,
  fixing: false,
})

/** The error that belongs to the `present` program and can still be fixed; empty: none. */
export const fixableError = ({ last, code, fixing }: Console, present: string): string =>
  last?.status === 'error' && code === present && !fixing ? last.traceback : ''

/** Once the fixed program arrives, the error of the former one goes away. */
export const withProgram = (console: Console, present: string): Console =>
  console.fixing && console.code !== present ? { ...console, entries: [], last: null, fixing: false } : console

export function reduceConsole(console: Console, message: FromFrame): Console {
  switch (message.type) {
    case 'starting':
      return { ...console, phase: 'starting' }
    case 'ready':
      return { ...console, phase: console.runs ? 'running' : 'ready' }
    case 'loading':
      return { ...console, loading: String(message.packages).slice(0, MAX_NAMES), loadedPercent: numberUpTo(100, message.percent) }
    case 'began':
      return { ...console, loading: '', loadedPercent: null }
    case 'output':
      return { ...console, entries: message.chunks.reduce(withChunk, console.entries) }
    case 'picture':
      return PNG_BASE64.test(message.png) ? { ...console, entries: withEntry(console.entries, { kind: 'picture', png: message.png }) } : console
    case 'input':
      return { ...console, phase: 'asking' }
    case 'done':
      return withOutcome(console, message)
    case 'failed':
      return withFailure(console, message.message)
    default:
      return console // an unknown message of the frame
  }
}

const withChunk = (entries: readonly ConsoleEntry[], chunk: { stream: 'out' | 'err'; text: unknown }): readonly ConsoleEntry[] =>
  isText(chunk.text) ? withEntry(entries, { kind: chunk.stream === 'err' ? 'err' : 'out', text: chunk.text }) : entries

/** The number, as far as the frame has said one that can be true. */
const numberUpTo = (most: number, figure: unknown): number | null => (typeof figure === 'number' && figure >= 0 && figure <= most ? figure : null)

function withOutcome(console: Console, { outcome, ms, memoryMb }: FromFrame & { type: 'done' }): Console {
  if (!console.runs) return console // it ended before the stop reached it
  const line = outcome.status === 'error' ? outcome.line : 0
  const traceback = outcome.status === 'error' ? outcome.traceback : ''
  const last: RunResult = { status: outcome.status, ms, memoryMb: numberUpTo(MAX_MEMORY_MB, memoryMb), line, traceback }
  return { ...console, phase: 'ready', runs: false, last, entries: withEntry(console.entries, endEntry(outcome)) }
}

function endEntry(outcome: Outcome): ConsoleEntry {
  if (outcome.status === 'error') return { kind: 'error', text: outcome.traceback }
  if (outcome.status === 'stopped') return { kind: 'note', text: stopText(outcome.reason) }
  return { kind: 'value', text: outcome.value ?? '' }
}

/** A reason that this page does not know counts as the user's. */
function stopText(reason: StopReason): string {
  const limit = MAX_OUTPUT_BYTES / 1000
  if (reason === 'time') return t`Stopped after ${MAX_PROGRAM_S} seconds, the longest a program may run.`
  return reason === 'output' ? t`Stopped: the program wrote too much (the limit is ${limit} kB).` : t`Stopped.`
}

function withFailure(console: Console, message: string): Console {
  const text = t`Python did not start: ${message}`
  const last: RunResult = { status: 'failed', ms: 0, memoryMb: null, line: 0, traceback: '' }
  return { ...console, phase: 'off', runs: false, last, entries: [...console.entries, { kind: 'note', text }] }
}

/** How far it is, in words that change all the time; empty where they would say no more than the state. `elapsedMs`: of the program. */
export function consoleProgress({ phase, loading, loadedPercent }: Console, elapsedMs: number): string {
  if (phase !== 'running') return ''
  const [time, percent] = [duration(elapsedMs), numberText((loadedPercent ?? 0) / 100, { style: 'percent' })]
  if (loading) return loadedPercent === null ? '' : t`Loading ${loading}, ${percent}`
  return elapsedMs < 1000 ? '' : t`Running, ${time}`
}

/** The state of the console as one short sentence. */
export function consoleStatus({ phase, last, fixing, loading }: Console): string {
  if (phase === 'starting') return t`Starting Python…`
  if (phase === 'running') return loading ? t`Loading ${loading}…` : t`Running…`
  if (phase === 'asking') return t`Waiting for your input`
  if (phase === 'stopping') return t`Stopping…`
  if (!last) return ''
  if (fixing) return t`Asked the assistant to fix it`
  const { status, line, memoryMb } = last
  const time = duration(last.ms)
  if (status === 'ok') return memoryMb === null ? t`Finished in ${time}` : t`Finished in ${time} · ${memoryMb} of ${MAX_MEMORY_MB} MB`
  if (status === 'error') return line ? t`Error in line ${line}` : t`Error`
  return status === 'stopped' ? t`Stopped` : t`Python did not start`
}

/** The line at which the last run failed, as long as the program has not changed since. */
export const errorLineOf = ({ last, code }: Console, present: string): number | null => (last?.line && code === present ? last.line : null)
