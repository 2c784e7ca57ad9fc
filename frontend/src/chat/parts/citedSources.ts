import type { ChatPart } from '../../api/messageTypes'
import { hostOf } from './providerCall'

export type Source = { readonly url: string; readonly host: string; readonly title: string }

/** So many are shown at first. */
export const INITIAL_COUNT = 5

/** Google's addresses lead over a page of its own, and its titles are the hosts. */
const LEADS_ON = 'vertexaisearch.cloud.google.com'

/** The pages that an answer rests on, each once, in the order in which they came. */
export function sourcesOf(message: { readonly parts: readonly ChatPart[] }): Source[] {
  const known = new Map<string, Source>()
  for (const part of message.parts) if (part.type === 'source-url' && !known.has(part.url)) known.set(part.url, sourceOf(part.url, part.title ?? ''))
  return [...known.values()]
}

function sourceOf(url: string, title: string): Source {
  const host = hostOf(url)
  if (host === LEADS_ON && title) return { url, host: title, title: '' }
  return { url, host, title: title === host ? '' : title }
}
