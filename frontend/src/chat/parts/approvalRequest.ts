// What a request for approval says (chat/stream/tool_chunks.py, `request_text`). Pure.
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'

const GOES_TO = 'Goes to: '
const MAY_LAST = 'It can be allowed for this chat.'

export type RequestFacts = { readonly reason: string; readonly host: string; readonly mayLast: boolean }

/** The lines of the request's reason: why it asks, where the inputs go, and whether the host can be allowed for the chat. */
export function requestFacts(text = ''): RequestFacts {
  const lines = text.split('\n')
  return {
    reason: lines.filter((line) => line !== MAY_LAST && !line.startsWith(GOES_TO)).join('\n'),
    host: lines.find((line) => line.startsWith(GOES_TO))?.slice(GOES_TO.length) ?? '',
    mayLast: lines.includes(MAY_LAST),
  }
}

const SEARCH = msg`Search the web for this?`
const QUESTIONS: Record<string, MessageDescriptor> = { fetch_url: msg`Open this web page?`, search: SEARCH, provider_tools_agent: SEARCH, update_page_state: msg`Change the page around this chat?` }

export const question = (toolName: string, name: string): string => (QUESTIONS[toolName] ? i18n._(QUESTIONS[toolName]) : t`Allow “${name}”?`)

const SMALL = 80

/** How large a value is, where it is long enough to matter: `1,204 characters, 12 lines`. */
export function sizeOf(text: string): string {
  const lines = text.split('\n').length
  const characters = [...text].length
  if (characters <= SMALL && lines === 1) return ''
  const length = plural(characters, { one: '# character', other: '# characters' })
  return lines > 1 ? `${length}, ${plural(lines, { one: '# line', other: '# lines' })}` : length
}
