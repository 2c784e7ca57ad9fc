// Tool calls that a provider ran itself. Each provider reports them in its own shape; the reader sees one.
import type { DynamicToolUIPart } from 'ai'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { displayName } from './format'

export type Page = { readonly url: string; readonly status?: string }
export type ProviderCall = {
  readonly queries: readonly string[]
  readonly pages: readonly Page[]
  readonly code?: { readonly text: string; readonly language: string }
  /** The output as text. */
  readonly output?: string
}

const TITLES: Record<string, MessageDescriptor> = { web_search: msg`Web search`, url_context: msg`Pages read`, code_execution: msg`Code`, image_generation: msg`Image` }

export const providerTitle = (toolName: string): string => (TITLES[toolName] ? i18n._(TITLES[toolName]) : displayName(toolName))

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (...values: readonly unknown[]): string[] => [...new Set(values.flat().map(text).filter(Boolean))]

function pagesOf(input: Fields, output: unknown): Page[] {
  const reported = Array.isArray(output) ? output : fields(output).pages
  const reportedPages = (Array.isArray(reported) ? reported : []).map((page): Page => ({ url: text(page) || text(fields(page).url), status: text(fields(page).status) }))
  const requestedPages = texts(input.url, input.urls).filter((url) => !reportedPages.some((page) => page.url === url))
  return [...requestedPages.map((url): Page => ({ url })), ...reportedPages].filter((page) => page.url !== '')
}

function outputOf(part: DynamicToolUIPart): string | undefined {
  if (part.state === 'output-error') return part.errorText
  if (part.state !== 'output-available') return undefined
  return text(part.output) || text(fields(part.output).output) || undefined
}

export function providerCallOf(part: DynamicToolUIPart): ProviderCall {
  const input = fields(part.input)
  const code = text(input.code) || text(input.command)
  const output = outputOf(part)
  return {
    queries: texts(input.query, input.queries),
    pages: pagesOf(input, part.state === 'output-available' ? part.output : undefined),
    ...(code && { code: { text: code, language: text(input.language) || (input.command ? 'bash' : 'python') } }),
    ...(output !== undefined && { output }),
  }
}

/** The call in a few words: the queries, the hosts of the pages, or the first line of the code. */
export function providerCallSummary({ queries, pages, code }: ProviderCall): string {
  if (queries.length) return queries.join(' · ')
  if (code) return code.text.trim().split('\n', 1)[0] ?? ''
  return [...new Set(pages.map((page) => hostOf(page.url)))].join(' · ')
}

export function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^www\./, '')
  } catch {
    return url
  }
}
