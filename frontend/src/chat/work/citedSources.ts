import type { ChatPart } from '../../api/messageTypes'
import { hostOf } from './providerCall'

export type Source = { readonly url: string; readonly host: string; readonly title: string }

/** How many sources are shown at first. */
export const INITIAL_COUNT = 5

/** Google's source addresses redirect through this host, and their titles are the real hosts. */
const LEADS_ON = 'vertexaisearch.cloud.google.com'

/** The pages that an answer cites, each once, in their order. */
export function sourcesOf(message: { readonly parts: readonly ChatPart[] }): Source[] {
  const sources = new Map<string, Source>()
  for (const part of message.parts) if (part.type === 'source-url' && !sources.has(part.url)) sources.set(part.url, sourceOf(part.url, part.title ?? ''))
  return [...sources.values()]
}

function sourceOf(url: string, title: string): Source {
  const host = hostOf(url)
  if (host === LEADS_ON && title) return { url, host: title, title: '' }
  return { url, host, title: title === host ? '' : title }
}
