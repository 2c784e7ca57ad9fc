// A card of work in a few words. Pure.
import type { DynamicToolUIPart } from 'ai'
import { plural, t } from '@lingui/core/macro'
import { inputSummary, resultMs } from './format'
import { providerCallOf, providerCallSummary } from './providerCall'
import { callLabel } from './toolLabels'

const SEARCHES = new Set(['web_search', 'search', 'search_files', 'provider_tools_agent'])
const PAGES = new Set(['url_context', 'fetch_url'])

/** What a single call is about. */
export const callGist = (part: DynamicToolUIPart): string => (part.providerExecuted ? providerCallSummary(providerCallOf(part)) : inputSummary(part.input))

/** How many of what: `3 searches, 6 pages, 1 other step`. */
export function countsOf(calls: readonly DynamicToolUIPart[]): string {
  const searches = calls.filter((call) => SEARCHES.has(call.toolName)).length
  const pages = calls.filter((call) => PAGES.has(call.toolName)).length
  const others = calls.length - searches - pages
  const othersText = searches + pages ? plural(others, { one: '# other step', other: '# other steps' }) : plural(others, { one: '# step', other: '# steps' })
  const parts = [
    searches && plural(searches, { one: '# search', other: '# searches' }),
    pages && plural(pages, { one: '# page', other: '# pages' }),
    others && othersText,
  ]
  return parts.filter(Boolean).join(', ')
}

/** The name of work that is over: that of its first call when the others are of the same kind or look things up for it. `isDone`: any call is. */
export function workTitle(calls: readonly DynamicToolUIPart[], isDone: boolean): string {
  const failures = new Set(calls.map((call) => (call.state === 'output-error' ? callLabel(call, 'failed') : '')))
  if (failures.size === 1 && !failures.has('')) return [...failures][0] ?? ''
  const end = isDone ? 'done' : 'open' // nothing was written where every call was refused or stopped
  const names = new Set(calls.map((call) => callLabel(call, end)))
  const looksUp = calls.every((call) => SEARCHES.has(call.toolName) || PAGES.has(call.toolName))
  if (calls[0] && (names.size === 1 || looksUp)) return callLabel(calls[0], end)
  return t`Worked`
}

/** The time that the calls took together, as far as it was measured. */
export function timeOf(calls: readonly DynamicToolUIPart[]): number | undefined {
  const times = calls.map(resultMs).filter((ms) => ms !== undefined)
  return times.length ? times.reduce((sum, ms) => sum + ms, 0) : undefined
}
