// What an answer brings that the page around the chat has not heard of, and how the answer ended.
import type { ChatMessage, ChatPart } from '../api/messageTypes'
import type { AnswerEnd, EventName } from './protocol'

export type News = readonly [name: EventName, detail: Readonly<Record<string, unknown>>]

const STOPPED: readonly string[] = ['stopped', 'access_ended']

/** What is news of a part at this place, each with a key, and the state by which a change is known. */
function newsOfPart(part: ChatPart, index: number): readonly (readonly [key: string, state: string, news: News])[] {
  if (part.type.startsWith('data-')) return [[`${part.type}:${index}`, JSON.stringify(part), ['data-part', { type: part.type, data: 'data' in part ? part.data : null }]]]
  if (part.type !== 'dynamic-tool' || part.state === 'input-streaming') return []
  const call = { id: part.toolCallId, name: part.toolName }
  const ok = part.state === 'output-available'
  // A quick tool's result may come with its call: the call is told all the same, and first.
  const keyedNews: [string, string, News][] = [[`call:${call.id}`, '', ['tool-call', call]]]
  if (ok || part.state === 'output-error') keyedNews.push([`result:${call.id}`, '', ['tool-result', { ...call, ok }]])
  return keyedNews
}

/** The news of an answer, in its order. `toldStates`: by key, the state that was told last, which this brings up to date. */
export function newsOf(answer: ChatMessage, toldStates: Map<string, string>): readonly News[] {
  return answer.parts.flatMap(newsOfPart).flatMap(([key, state, news]) => {
    const place = `${answer.id}:${key}`
    if (toldStates.get(place) === state) return []
    toldStates.set(place, state)
    return [news]
  })
}

/** How an answer ended that is not written any more. `isCut`: its stream broke, so that no notice says it. */
export function endOf(answer: ChatMessage, isCut: boolean): AnswerEnd {
  const notices = answer.parts.filter((part) => part.type === 'data-notice').map((part) => part.data)
  if (notices.some(({ code }) => STOPPED.includes(code))) return 'stopped'
  return isCut || notices.some(({ level }) => level === 'error') ? 'failed' : 'complete'
}
