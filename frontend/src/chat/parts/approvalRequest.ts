// What a request for approval says (chat/stream/tool_chunks.py, `request_text`). Pure.

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

const QUESTIONS: Record<string, string> = { fetch_url: 'Open this web page?', search: 'Search the web for this?', provider_tools_agent: 'Search the web for this?', update_page_state: 'Change the page around this chat?' }

export const question = (toolName: string, name: string): string => QUESTIONS[toolName] ?? `Allow “${name}”?`

const SMALL = 80

/** How large a value is, where it is long enough to matter: `1,204 characters, 12 lines`. */
export function sizeOf(text: string): string {
  const lines = text.split('\n').length
  const characters = [...text].length
  if (characters <= SMALL && lines === 1) return ''
  return [`${characters.toLocaleString('en')} characters`, lines > 1 && `${lines.toLocaleString('en')} lines`].filter(Boolean).join(', ')
}
